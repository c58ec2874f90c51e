# Builds sundown with Nix: `nix run`, `nix build`, or `nix profile install` in a checkout. The recipe is packaging/nix/package.nix.
{
  description = "A deprecation linter for API payloads";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = forEachSystem (system: {
        default = nixpkgs.legacyPackages.${system}.callPackage ./packaging/nix/package.nix { };
      });

      checks = forEachSystem (system: {
        sundown = self.packages.${system}.default;
      });
    };
}
