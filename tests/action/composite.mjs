// Runs a composite action offline: GitHub's own parser reads it, GitHub's own evaluator evaluates it, and bash runs its
// scripts. Steps that use other actions are recorded and not run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import { NoOperationTraceWriter, isBasicExpression, isMapping, isScalar } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { convertActionTemplate } from "@actions/workflow-parser/actions/action-template";
import { readLog, readValues } from "./workflow_commands.mjs";

const CONTEXTS = ["github", "inputs", "steps", "runner"];

/// An action file, read with the service's own schema; mistakes in it are thrown.
export function readAction(folder) {
  const content = readFileSync(`${folder}/action.yml`, "utf8");
  const { context, value } = parseAction({ name: "action.yml", content }, new NoOperationTraceWriter());
  const template = convertActionTemplate(context, value);
  const mistakes = context.errors.getErrors().map((error) => error.message);
  assert.deepEqual(mistakes, []);
  assert.equal(template.runs.using, "composite");
  // The template leaves out `with` and `shell`, so these come from the tree.
  const tokens = [...member(member(value, "runs"), "steps")];
  const steps = template.runs.steps.map((step, index) => ({
    ...step,
    name: member(tokens[index], "name").value,
    shell: member(tokens[index], "shell")?.value,
    with: member(tokens[index], "with"),
  }));
  return { content, folder, inputs: template.inputs, outputs: template.outputs, steps };
}

function member(mapping, name) {
  for (const { key, value } of mapping) if (key.value === name) return value;
  return undefined;
}

/// The members of a mapping of the action, or none.
export function members(mapping) {
  return mapping && isMapping(mapping) ? [...mapping].map(({ key, value }) => [key.value, value]) : [];
}

function asData(value) {
  if (typeof value !== "object") return new data.StringData(String(value));
  const pairs = Object.entries(value).map(([key, inner]) => ({ key, value: asData(inner) }));
  return new data.Dictionary(...pairs);
}

/// What a scalar of the action comes to.
function evaluate(token, contexts, status = {}) {
  if (!isBasicExpression(token)) return new data.StringData(token.toString());
  const functions = ["success", "failure", "cancelled", "always"].map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(status[name] ?? false),
  }));
  const tree = new Parser(new Lexer(token.expression).lex().tokens, CONTEXTS, functions).parse();
  const known = new Map(functions.map((called) => [called.name, called]));
  return new Evaluator(tree, asData(contexts), known).evaluate();
}

const text = (token, contexts) => evaluate(token, contexts).coerceString();
const texts = (mapping, contexts) =>
  Object.fromEntries(members(mapping).map(([name, token]) => [name, text(token, contexts)]));

/// Runs an action in `job`: a folder with `workspace` and `temp` in it. Gives back what the service would know afterwards.
export async function run(action, job, inputs, { github = {}, environment = {}, runner = {} } = {}) {
  const contexts = {
    github: { server_url: "https://github.invalid", repository: "some/body", action_repository: "", ...github },
    runner: { os: "Linux", arch: "X64", temp: `${job}/temp`, ...runner },
    inputs: {},
    steps: {},
  };
  for (const { id, default: token } of action.inputs)
    contexts.inputs[id] = inputs[id] ?? (token && isScalar(token) ? text(token, contexts) : "");
  for (const name of Object.keys(inputs)) assert(name in contexts.inputs, `no input '${name}'`);
  const ran = { success: true, ran: [], used: [], log: "", summary: "", written: "" };
  for (const [index, step] of action.steps.entries()) {
    const status = { always: true, success: ran.success, failure: !ran.success };
    const runs = evaluate(step.if, contexts, status);
    if (runs.coerceString() !== "true") continue;
    ran.ran.push(step.name);
    if (step.uses) {
      ran.used.push({ uses: step.uses.value, with: texts(step.with, contexts) });
      continue;
    }
    const files = await runScript(action, job, index, step, contexts, environment, ran);
    contexts.steps[step.id] = { outputs: readValues(files.GITHUB_OUTPUT) };
  }
  ran.outputs = Object.fromEntries(action.outputs.map(({ id, value }) => [id, text(value, contexts)]));
  ran.steps = contexts.steps;
  return { ...ran, ...readLog(ran.log) };
}

async function runScript(action, job, index, step, contexts, environment, ran) {
  assert.equal(step.shell, "bash");
  const folder = `${job}/runner/${index}`;
  mkdirSync(folder, { recursive: true });
  const files = ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"];
  const paths = Object.fromEntries(files.map((name) => [name, `${folder}/${name}`]));
  for (const path of Object.values(paths)) writeFileSync(path, "");
  writeFileSync(`${folder}/script.sh`, text(step.run, contexts));
  const { os, arch, temp } = contexts.runner;
  const env = {
    PATH: process.env.PATH,
    HOME: `${job}/home`,
    LANG: "C.UTF-8",
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION_PATH: action.folder,
    GITHUB_WORKSPACE: `${job}/workspace`,
    RUNNER_OS: os,
    RUNNER_ARCH: arch,
    RUNNER_TEMP: temp,
    ...paths,
    ...environment,
    ...texts(step.env, contexts),
  };
  // As the runner calls bash.
  const started = ["--noprofile", "--norc", "-eo", "pipefail", `${folder}/script.sh`];
  const { code, log } = await collect("bash", started, { cwd: `${job}/workspace`, env });
  ran.log += log;
  ran.success &&= code === 0;
  const read = Object.fromEntries(files.map((name) => [name, readFileSync(paths[name], "utf8")]));
  ran.summary += read.GITHUB_STEP_SUMMARY;
  ran.written += read.GITHUB_ENV + read.GITHUB_PATH + read.GITHUB_STATE;
  return read;
}

/// Runs a program to its end; its log is both of its streams.
function collect(program, started, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, started, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (log += piece));
    child.on("error", reject).on("close", (code) => resolve({ code, log }));
  });
}
