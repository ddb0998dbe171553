import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'constructs';
import * as z from 'zod';
import { DEFAULT_STAGE, SETTINGS } from './settings.ts';

/** The settings of a stage that are under version control: `stages/prod.json` has those of the stage `prod`. */

const STAGES = join(import.meta.dirname, '../stages');

/** The file's name is the stage's name. */
const KNOWN = new Set(SETTINGS.filter((name) => name !== 'stage'));

const schema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/**
 * Applies the settings of the stage's file, where there is one. `-c name=value` and the `context` of `cdk.json` take
 * precedence.
 * @param directory of the files
 * @throws Error that says what is wrong with the file
 */
export function applyStageFile(app: Node, directory = STAGES): void {
  const stage = String(app.tryGetContext('stage') ?? DEFAULT_STAGE);
  const file = join(directory, `${stage}.json`);
  // The reader of the settings refuses a name that cannot be a stage's.
  if (!/^[\w-]+$/.test(stage) || !existsSync(file)) return;
  for (const [name, value] of Object.entries(settingsIn(file))) {
    if (app.tryGetContext(name) === undefined) app.setContext(name, value);
  }
}

function settingsIn(file: string): z.infer<typeof schema> {
  const parsed = schema.safeParse(jsonIn(file));
  if (!parsed.success)
    throw new Error(`${file} must be an object of texts, numbers and booleans, as after -c name=value`);
  const unknown = Object.keys(parsed.data).filter((name) => !KNOWN.has(name));
  if (unknown.length > 0) throw new Error(`${file} has what is no setting: ${unknown.join(', ')}`);
  return parsed.data;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file} cannot be read as JSON`, { cause });
  }
}
