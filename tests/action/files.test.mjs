// The action's files, its documentation and the project's workflows are consistent. Run by scripts/validate-action.sh.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isBasicExpression } from "@actions/workflow-parser";
import { parse } from "yaml";
import { members } from "./composite.mjs";
import { action, check, job, root } from "./scene.mjs";

test("no script holds an expression, every input is used, and other actions are pinned", () => {
  const used = new Set();
  for (const step of action.steps) {
    if (step.run) assert(!isBasicExpression(step.run), step.name);
    else
      assert.match(
        action.content,
        new RegExp(`uses: ${step.uses.value.split("@")[0]}@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+\n`),
      );
    for (const [name, token] of [...members(step.env), ...members(step.with)]) {
      for (const [, input] of token.toString().matchAll(/inputs\.([a-z0-9-]+)/g)) {
        used.add(input);
        if (step.run) assert.equal(name, `INPUT_${input.replaceAll("-", "_").toUpperCase()}`);
      }
    }
  }
  assert.deepEqual([...used].sort(), action.inputs.map(({ id }) => id).sort());
});

test("the project's own workflow expects what the program finds", async () => {
  const workflow = parse(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8"));
  const [
    ,
    {
      with: { install: _, ...inputs },
    },
    { run: comparison },
  ] = workflow.jobs.action.steps;
  const captures = { [inputs.paths]: readFileSync(join(root, inputs.paths)) };
  const ran = await check(job(captures), inputs);
  const { errors, warnings, notes } = ran.outputs;
  assert(
    comparison.includes(`= "${errors} ${warnings} ${notes}"`),
    `${comparison} but found ${errors} ${warnings} ${notes}`,
  );
  assert(ran.success);
});

test("the documentation lists the inputs and outputs that there are", () => {
  const page = readFileSync(join(root, "docs/github-action.md"), "utf8");
  const rows = (heading) =>
    page
      .split(`\n## ${heading}\n`)[1]
      .split("\n## ")[0]
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").map((cell) => cell.trim()));
  assert.deepEqual(
    rows("Inputs").map(([, name]) => name),
    action.inputs.map(({ id }) => `\`${id}\``),
  );
  const defaults = action.inputs.map((input) => input.default.toString());
  assert.deepEqual(
    rows("Inputs").map(([, , value]) => value),
    defaults.map((value) => (value ? `\`${value}\`` : "")),
  );
  assert.deepEqual(
    rows("Outputs").map(([, name]) => name),
    action.outputs.map(({ id }) => `\`${id}\``),
  );
});
