#!/usr/bin/env node
// Runs the program of the package for this platform, with the same arguments, streams, exit code and signals.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { platforms } = require("../platforms.json");

function fail(message) {
  console.error(`sundown-lint: ${message}`);
  process.exit(2);
}

/** Whether this is a Linux with musl. Only asked if the packages for both libraries are installed. */
function usesMusl() {
  const report = process.report.getReport();
  return !(typeof report === "string" ? JSON.parse(report) : report).header.glibcVersionRuntime;
}

function findProgram() {
  const machine = `${process.platform}-${process.arch}`;
  const fitting = platforms.filter((each) => `${each.os}-${each.cpu}` === machine);
  if (fitting.length === 0) {
    const all = [...new Set(platforms.map((each) => `${each.os}-${each.cpu}`))].sort().join(", ");
    fail(`there is no program for ${machine}, only for ${all}; with a Rust toolchain, cargo can build it`);
  }
  const found = [];
  for (const { name, libc, file } of fitting) {
    try {
      found.push({ libc, path: require.resolve(`${name}/${file}`) });
    } catch {
      // Not installed: it is for another C library, or optional dependencies were left out.
    }
  }
  if (found.length === 0) {
    const names = fitting.map((each) => each.name).join(" or ");
    fail(`the package ${names} is not installed; run \`npm install --include=optional\``);
  }
  if (found.length === 1) return found[0].path;
  const libc = usesMusl() ? "musl" : "glibc";
  return (found.find((each) => each.libc === libc) ?? found[0]).path;
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });

// A terminal sends Ctrl-C to the program too. A second one would end it before it has written its report. The use of
// `process.stdin` would make the shared stream non-blocking, and the program could not read it.
const interactive = isatty(0) || isatty(1) || isatty(2);
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of forwarded) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !interactive) child.kill(signal);
  });
}

child.on("error", (error) => fail(`the program cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  // End in the same way as the program, so that callers see the signal.
  for (const each of forwarded) process.removeAllListeners(each);
  process.exitCode = 128 + (constants.signals[signal] ?? 0);
  process.kill(process.pid, signal);
});
