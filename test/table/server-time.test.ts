import { Readable } from 'node:stream';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { serverTime, Table } from '@custodia/counted-lists';
import { leanDocumentClient } from '@custodia/lean-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { systemClock } from '../../shared/clock.ts';

const HOUR = 3_600_000;

/** Responds with the date of another machine, after which this one may be paused. */
class Dated extends NodeHttpHandler {
  readonly #ahead: number;
  readonly #pause: number;
  readonly #statusCode: number;

  constructor(ahead: number, pause: number, statusCode: number) {
    super();
    this.#ahead = ahead;
    this.#pause = pause;
    this.#statusCode = statusCode;
  }

  override async handle() {
    const headers = { date: new Date(Date.now() + this.#ahead).toUTCString() };
    vi.setSystemTime(Date.now() + this.#pause);
    return { response: new HttpResponse({ statusCode: this.#statusCode, headers, body: Readable.from(['{}']) }) };
  }
}

/** The time by the clock of a server that is ahead of this machine, after a call that it accepts or refuses. */
async function timeOf(ahead: number, pause = 0, statusCode = 200): Promise<number> {
  // `npm run test:dates` has it corrected nowhere.
  const config = {
    ...localConnection(),
    requestHandler: new Dated(ahead, pause, statusCode),
    disableClockSkewCorrection: false,
  };
  const table = new Table('t', (readNumber) => leanDocumentClient(config, readNumber));
  const called = await Promise.allSettled([
    table.client.send(new GetCommand({ TableName: 't', Key: { PK: 'a', SK: 'b' } })),
  ]);
  expect(called).toMatchObject([{ status: statusCode === 200 ? 'fulfilled' : 'rejected' }]);
  return serverTime(table, systemClock);
}

describe('the time by the clock of DynamoDB', () => {
  const NOW = Date.parse('2026-11-23T14:14:22.987Z');

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  });

  it('is that of this machine, where the two agree but for the seconds of a date', async () => {
    expect(await timeOf(0)).toBe(NOW);
    expect(await timeOf(3_000)).toBe(NOW);
    expect(await timeOf(-3_000)).toBe(NOW);
  });

  it.each([6_000, 10 * 60_000, HOUR])(
    'is that of this machine, where it was paused for %d ms before it read a response',
    async (pause) => {
      expect(await timeOf(0, pause)).toBe(NOW + pause);
      vi.setSystemTime(NOW);
      expect(await timeOf(0, pause, 400)).toBe(NOW + pause);
    },
  );

  it('is that of DynamoDB within a second, where this machine is wrong', async () => {
    for (const ahead of [HOUR, -HOUR, 60 * 24 * HOUR, -7_000]) {
      for (const statusCode of [200, 400]) {
        const time = await timeOf(ahead, 0, statusCode);
        expect(time).toBeGreaterThan(NOW + ahead - 1_000);
        expect(time).toBeLessThanOrEqual(NOW + ahead);
      }
    }
  });
});
