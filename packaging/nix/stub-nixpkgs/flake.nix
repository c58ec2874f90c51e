# Stands in for nixpkgs, so that scripts/validate-packages.sh can evaluate flake.nix without a network. It has only what the
# flake and its recipe use.
{
  outputs =
    _:
    let
      lib = {
        genAttrs =
          names: toValue:
          builtins.listToAttrs (map (name: { inherit name; value = toValue name; }) names);
        importTOML = path: builtins.fromTOML (builtins.readFile path);
        cleanSource = path: path;
        optionalString = condition: text: if condition then text else "";
        licenses = {
          mit = "MIT";
          asl20 = "Apache-2.0";
        };
      };
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs systems (system: {
        callPackage =
          path: arguments:
          import path (
            {
              inherit lib;
              stdenv = {
                buildPlatform.canExecute = _: true;
                hostPlatform = null;
              };
              installShellFiles = "installShellFiles";
              rustPlatform.buildRustPackage =
                recipe:
                derivation {
                  name = "${recipe.pname}-${recipe.version}";
                  builder = "/bin/sh";
                  inherit system;
                  inherit (recipe) postInstall cargoTestFlags nativeBuildInputs;
                };
            }
            // arguments
          );
      });
    };
}
