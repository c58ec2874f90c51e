// Starts `sundown lsp` for the files of a workspace, and again when the settings change. All else is done by the program.
import { ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const changes = workspace.onDidChangeConfiguration(async (event) => {
    if (event.affectsConfiguration("sundown")) {
      await stop();
      await start();
    }
  });
  context.subscriptions.push(changes);
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const settings = workspace.getConfiguration("sundown");
  const command = settings.get<string>("path", "sundown");
  const languages = settings.get<string[]>("languages", []);
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    // What a configuration refers to: rules, and the files of API descriptions.
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{toml,yaml,yml,json}") },
  };
  client = new LanguageClient("sundown", server, options);
  try {
    await client.start();
  } catch {
    client = undefined;
    const remedy = "install sundown, or set `sundown.path` to the program";
    await window.showErrorMessage(`sundown: \`${command} lsp\` does not start: ${remedy}`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}
