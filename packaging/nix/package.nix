# The recipe of the Nix package: builds the program from this source, and installs its man pages and completions.
{
  lib,
  stdenv,
  rustPlatform,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "sundown";
  version = (lib.importTOML ../../Cargo.toml).package.version;
  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  nativeBuildInputs = [ installShellFiles ];
  # Other tests need git, signals and devices, which the sandbox of a build does not have.
  cargoTestFlags = [ "--lib" ];

  postInstall = lib.optionalString (stdenv.buildPlatform.canExecute stdenv.hostPlatform) ''
    mkdir manual
    "$out/bin/sundown" manual >manual/sundown.1
    for command in $(sed -n 's/^sundown\\-\([a-z]*\)(1)$/\1/p' manual/sundown.1); do
      # Its list of commands has `help`, too, which has no page.
      [ "$command" = help ] || "$out/bin/sundown" manual "$command" >"manual/sundown-$command.1"
    done
    installManPage manual/*.1
    for shell in bash fish zsh; do
      "$out/bin/sundown" completions "$shell" >"sundown.$shell"
      installShellCompletion --cmd sundown "--$shell" "sundown.$shell"
    done
  '';

  meta = {
    description = "Deprecation linter for API payloads";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "sundown";
  };
}
