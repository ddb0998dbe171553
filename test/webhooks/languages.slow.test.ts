import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';

/**
 * The programs of `docs/webhooks.md`, run as a partner would run them. `LANGUAGES=all`: also those that are compiled
 * first.
 */

const api = useApi();
const org = prepared(() => api.orgToken());

const DIRECTORY = join(import.meta.dirname, '../../docs/webhooks');
const run = promisify(execFile);

const PROGRAMS: readonly (readonly [command: string, args: readonly string[], version: readonly string[]])[] = [
  ['bash', ['deliver.sh'], ['--version']],
  ['python3', ['deliver.py'], ['--version']],
  [process.execPath, ['deliver.mjs'], ['--version']],
  ['java', ['Deliver.java'], ['--version']],
  ['go', ['run', 'deliver.go'], ['version']],
];
const isThere = (command: string, version: readonly string[]): boolean => spawnSync(command, version).status === 0;

const isCompiled = (command: string): boolean => command === 'java' || command === 'go';

describe('a program of the documentation delivers its event, and gets a 409 for its repetition', () => {
  for (const [command, args, version] of PROGRAMS) {
    it(`${args.at(-1)}`, async ({ skip }) => {
      skip(
        isCompiled(command) && process.env.LANGUAGES !== 'all',
        'compiled for up to a minute; LANGUAGES=all runs it',
      );
      skip(!isThere(command, version), `there is no ${command} on this machine`);
      const EVENT_ID = randomUUID();
      const env = { ...process.env, BASE_URL: api.url, APP_CODE: org.appCode, SECRET: org.secret, EVENT_ID };
      const responses: string[][] = [];
      for (let time = 1; time <= 2; time++) {
        const { stdout } = await run(command, [...args], { cwd: DIRECTORY, env });
        responses.push(stdout.trim().split('\n'));
      }
      const [[receipt = '', status] = [], [problem = '', again] = []] = responses;
      expect([status, JSON.parse(receipt)]).toEqual(['200', expect.objectContaining({ app: org.appCode })]);
      expect([again, JSON.parse(problem).type]).toEqual(['409', 'urn:problem-type:custodia:event-already-processed']);
      const { body } = await api.request<{ data: { id: string; event_id: string }[] }>(
        'GET',
        '/api/v1/webhook-events',
        {
          token: org.token,
        },
      );
      const event = body.data.find(({ event_id }) => event_id === EVENT_ID);
      const kept = await api.request('GET', `/api/v1/webhook-events/${event?.id}`, { token: org.token });
      expect(kept.body.data).toEqual({ number: '2026/117', customer: 'Ação Lda', total: 1249.9 });
    });
  }
});
