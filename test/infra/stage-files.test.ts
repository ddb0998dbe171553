import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { settingsFrom } from '../../infra/settings.ts';
import { applyStageFile } from '../../infra/stage-file.ts';
import { freshDirectory } from '../support/directory.ts';

/** Settings of stages that are under version control. */

const STAGES = readdirSync(join(import.meta.dirname, '../../stages'));

/** The settings of an app with this context, and with these files. */
async function settingsOf(context: Record<string, unknown>, files?: Record<string, string>) {
  const app = new App({ context });
  if (files === undefined) applyStageFile(app.node);
  else {
    const directory = join(await freshDirectory(), 'stages');
    mkdirSync(directory);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    applyStageFile(app.node, directory);
  }
  return settingsFrom(app.node);
}

it.each(STAGES)('stages/%s can be used', async (file) => {
  expect((await settingsOf({ stage: file.replace(/\.json$/, '') })).stage).toBe(file.replace(/\.json$/, ''));
});

it('are those of the stage that is named, or of dev', async () => {
  const files = { 'prod.json': '{"memory":2048,"tracing":true}', 'dev.json': '{"memory":256}' };
  expect(await settingsOf({ stage: 'prod' }, files)).toMatchObject({ stage: 'prod', memory: 2048, tracing: true });
  expect(await settingsOf({}, files)).toMatchObject({ stage: 'dev', memory: 256, tracing: false });
  expect(await settingsOf({ stage: 'mine' }, files)).toMatchObject({ stage: 'mine', memory: 1024 });
});

it('give way to what is said on the command line', async () => {
  const files = { 'prod.json': '{"memory":2048,"tracing":true}' };
  const context = { stage: 'prod', memory: '512', tracing: 'false' };
  expect(await settingsOf(context, files)).toMatchObject({ memory: 512, tracing: false });
});

it.each([
  [
    'a name that is none of a setting',
    '{"alarmMail":"ops@example.com"}',
    /prod\.json has what is no setting: alarmMail$/,
  ],
  ['the stage, which its name says', '{"stage":"dev"}', /prod\.json has what is no setting: stage$/],
  ['what is no JSON', '{"memory":', /prod\.json cannot be read as JSON$/],
  ['a list', '["memory"]', /prod\.json must be an object/],
  ['a value that is none', '{"memory":{"mb":512}}', /prod\.json must be an object of texts, numbers and booleans/],
  ['a value that the setting does not take', '{"memory":1}', /cannot be used:\n {2}memory: /],
])('are refused with %s', async (_, text, message) => {
  await expect(settingsOf({ stage: 'prod' }, { 'prod.json': text })).rejects.toThrow(message);
});

it.each(['../prod', 'a/b', ''])('are in no other directory: %s', async (stage) => {
  await expect(settingsOf({ stage }, {})).rejects.toThrow(/stage: a lower-case word/);
});
