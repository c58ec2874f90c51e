// What GitHub's runner takes from a step: the commands in its log and the values in its output file, by the runner's rules.

import assert from "node:assert/strict";

// What the runner undoes, in its order (ActionCommand.cs).
const data = (text) => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
const property = (text) => data(text.replaceAll("%3A", ":").replaceAll("%2C", ","));

/// The command in a line, or null: `::` where text begins (version 2), or `##[` anywhere (version 1).
function command(line) {
  const second = line.trimStart().match(/^::([^\s:]+)(?: (.*?))?::(.*)$/s);
  if (second) {
    const pairs = (second[2] ?? "")
      .split(",")
      .filter((pair) => pair.includes("="))
      .map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at).trim(), property(pair.slice(at + 1))];
      });
    return { kind: second[1], properties: Object.fromEntries(pairs), message: data(second[3]) };
  }
  const first = line.match(/##\[([^\s\]]+)[^\]]*\](.*)$/);
  return first && { kind: first[1], properties: {}, message: first[2] };
}

/// The commands that the runner obeys in a log, and the other lines. A line ends where .NET ends it.
export function readLog(text) {
  const commands = [];
  const lines = [];
  let stopped = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const said = command(line);
    if (stopped !== null) {
      if (said?.kind === stopped) stopped = null;
      else lines.push(line);
    } else if (said?.kind === "stop-commands") stopped = said.message;
    else if (said) commands.push(said);
    else lines.push(line);
  }
  assert.equal(stopped, null, "commands are never resumed");
  return { commands, lines };
}

/// The values of an output file: `name=value`, or `name<<END`, lines, `END`.
export function readValues(text) {
  const values = {};
  const lines = text.split(/\r?\n/);
  while (lines.length > 0) {
    const line = lines.shift();
    if (line === "") continue;
    const equals = line.indexOf("=");
    const here = line.indexOf("<<");
    if (equals >= 0 && (here < 0 || equals < here)) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
      continue;
    }
    assert(here >= 0, `the runner refuses this line: ${line}`);
    const end = lines.indexOf(line.slice(here + 2));
    assert(end >= 0, `the value never ends: ${line}`);
    values[line.slice(0, here)] = lines
      .splice(0, end + 1)
      .slice(0, end)
      .join("\n");
  }
  return values;
}
