'use strict';

const { readFileSync } = require('node:fs');

/**
 * Ends a program with the npm that started it, however that ends: `kill` reaches npm alone, which tells only the shell between them, and not of each
 * signal. The program gets a SIGTERM. In the JavaScript of `node-version.cjs`.
 *
 *     node -r ./bin/end-with-npm.cjs …
 *
 * Without `/proc`, as on macOS, only the parent is watched: there the shell replaces itself by the program, so that it is npm.
 */

const INTERVAL_MS = 250;

/** npm sets it for what it starts, and has none itself. */
const script = process.env.npm_lifecycle_event;

if (script !== undefined) {
  const started = lineage();
  const timer = setInterval(() => {
    if (started.every((pid, generation) => pid === parentOf(started[generation - 1]))) return;
    clearInterval(timer);
    // `node --watch` would start the program again.
    if (process.env.WATCH_REPORT_DEPENDENCIES) terminate(process.ppid);
    terminate(process.pid);
  }, INTERVAL_MS);
  timer.unref();
}

/** The parent of this process, the parent of that, and so on to npm. */
function lineage() {
  const pids = [process.ppid];
  while (isOfScript(pids[pids.length - 1])) pids.push(parentOf(pids[pids.length - 1]));
  return pids;
}

/** @param pid undefined: this process */
function parentOf(pid) {
  if (pid === undefined) return process.ppid;
  // After the name, which may have any characters and ends with the last bracket: state and parent.
  const stat = readIn(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Whether npm, or what it started, started it. */
function isOfScript(pid) {
  return readIn(pid, 'environ').split('\0').includes(`npm_lifecycle_event=${script}`);
}

function readIn(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (_) {
    return '';
  }
}

function terminate(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (_) {
    // It has just ended by itself.
  }
}
