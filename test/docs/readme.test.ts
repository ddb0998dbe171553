import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listening } from '../support/listening.ts';
import { useApi } from '../support/use-api.ts';
import { pasteSteps } from './paste.ts';
import { expectSteps, stepsOf } from './pasted.ts';

/** The README is short and correct: its tour works when pasted and prints the shown output. */

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

const tour = stepsOf(README);

it('has at most 900 words', () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(900);
});

describe('the tour', () => {
  const api = useApi({ deliveries: true });

  it('works when pasted, and returns what it shows', async () => {
    expect(tour.length).toBeGreaterThan(5);
    await expectSteps(tour, api.url);
  });

  it('ends and says why where the port of its receiver is taken', async () => {
    const taken = createServer();
    const { port } = new URL(await listening(taken));
    onTestFinished(() => void taken.close());
    const steps = [...tour.slice(0, 3), ...tour.slice(-1)].map((step) => ({
      ...step,
      commands: step.commands.replace(/^HOOK_PORT=.*/m, `HOOK_PORT=${port}`),
    }));
    expect(steps.map(({ commands }) => commands).join('')).toContain(`HOOK_PORT=${port}`);
    await expect(pasteSteps(steps, api.url)).rejects.toMatchObject({
      stderr: expect.stringContaining(`address already in use 127.0.0.1:${port}. PORT=0 takes any free port.`),
    });
  });
});
