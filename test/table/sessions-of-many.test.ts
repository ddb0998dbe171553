import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TenantSessions } from '#table/storage';
import { randomOf } from '../support/random.ts';

/** Sessions of many tenants, with an STS that responds when the test lets it, and a clock of the test's own. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const TENANTS = Array.from({ length: 200 }, (_, index) => `tenant ${index}`);

class Container {
  now = 0;
  /** The calls of STS, in order. */
  readonly opened: { readonly tenant: string; readonly at: number }[] = [];
  readonly sessions: TenantSessions;
  /** Which of the calls STS refuses, by their number. */
  failing: (number: number) => boolean = () => false;
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  constructor(room?: number) {
    const random = randomOf(1, 'renewals');
    this.sessions = new TenantSessions(
      {
        open: (tenant) => this.#open(tenant),
        lifetime: HOUR,
        clock: () => this.now,
        random: () => random.below(1_000) / 1_000,
      },
      room,
    );
  }

  get underWay(): number {
    return this.#waiting.length;
  }

  /** STS responds when {@link respond} says so. */
  hold(): void {
    this.#isHeld = true;
  }

  /** STS responds to the call at this place, or fails. */
  respond(index: number): void {
    this.#waiting.splice(index, 1)[0]?.();
  }

  async respondToAll(): Promise<void> {
    for (let idle = 0; idle < 3; idle++) {
      if (this.underWay > 0) idle = 0;
      this.respond(0);
      await nextTurn();
    }
  }

  async #open(tenant: string): Promise<Awaited<ReturnType<ConstructorParameters<typeof TenantSessions>[0]['open']>>> {
    const number = this.opened.push({ tenant, at: this.now });
    if (this.#isHeld) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    if (this.failing(number)) throw new Error('STS failed');
    return { accessKeyId: tenant, secretAccessKey: `${number}`, sessionToken: `${this.opened[number - 1]?.at}` };
  }
}

type Step = readonly [what: 'ask' | 'respond' | 'pass', which: number, force?: boolean];

const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  {
    weight: 5,
    arbitrary: fc.tuple(
      fc.constant('ask'),
      fc.nat({ max: 7 }),
      fc.nat({ max: 9 }).map((drawn) => drawn === 0),
    ),
  },
  { weight: 4, arbitrary: fc.tuple(fc.constant('respond'), fc.nat({ max: 3 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('pass'), fc.nat({ max: 90 })) },
);
const steps = fc.array(step, { minLength: 20, maxLength: 60 });

/** Plays steps in a container with room for four tenants. @returns how many requests got credentials, all of them their tenant's */
async function play(steps: readonly Step[]): Promise<number> {
  const container = new Container(4);
  container.hold();
  container.failing = (number) => number % 7 === 0;
  const answers: Promise<boolean>[] = [];
  for (const [what, ...given] of steps) {
    if (what === 'pass') container.now += given[0] * MINUTE;
    else if (what === 'respond') container.respond(given[0]);
    else answers.push(answerOf(container, `tenant ${given[0]}`, given[1] === true));
    await nextTurn();
  }
  await container.respondToAll();
  return (await Promise.all(answers)).filter(Boolean).length;
}

async function answerOf({ sessions, now }: Container, tenant: string, force: boolean): Promise<boolean> {
  try {
    const { accessKeyId, sessionToken } = await sessions.credentialsOf(tenant, force);
    expect(accessKeyId).toBe(tenant);
    expect(now - Number(sessionToken)).toBeLessThan(HOUR);
    return true;
  } catch (error) {
    expect(error).toEqual(new Error('STS failed'));
    return false;
  }
}

describe('the sessions of a container', () => {
  it('never reach another tenant, and have not ended, whatever is asked, evicted, late or refused', async () => {
    let answered = 0;
    const played = async (given: readonly Step[]) => {
      answered += await play(given);
    };
    await fc.assert(fc.asyncProperty(steps, played), { numRuns: 100 });
    expect(answered).toBeGreaterThan(500);
  });

  it('are opened few at a time, however many have ended at once, and once for each tenant', async () => {
    const container = new Container();
    container.hold();
    const all = [...TENANTS, ...TENANTS].map((tenant) => container.sessions.credentialsOf(tenant));
    await nextTurn();
    expect(container.underWay).toBe(16);
    await container.respondToAll();
    await Promise.all(all);
    expect(container.opened).toEqual(TENANTS.map((tenant) => ({ tenant, at: 0 })));
  });

  it('that were opened together are renewed apart, at most four at a time', async () => {
    const container = new Container();
    const askAll = () => Promise.all(TENANTS.map((tenant) => container.sessions.credentialsOf(tenant)));
    await askAll();
    container.hold();
    const renewed: number[] = [];
    for (container.now = 45 * MINUTE; container.now <= 55 * MINUTE; container.now += 5_000) {
      await askAll();
      expect(container.underWay).toBeLessThanOrEqual(4);
      await container.respondToAll();
      renewed.push(container.opened.length);
    }
    expect(
      container.opened
        .slice(TENANTS.length)
        .map(({ tenant }) => tenant)
        .toSorted(),
    ).toEqual(TENANTS.toSorted());
    // In each fifth of the ten minutes, about a fifth.
    const fifths = [0, 24, 48, 72, 96, 120].map((index) => renewed[index] ?? 0);
    const each = fifths.slice(1).map((sum, index) => sum - (fifths[index] ?? 0));
    expect(Math.min(...each)).toBeGreaterThan(TENANTS.length / 10);
    expect(Math.max(...each)).toBeLessThan((TENANTS.length * 3) / 10);
  });

  it('are kept for 5,000 tenants, and not for more', async () => {
    const container = new Container();
    const tenants = Array.from({ length: 5_001 }, (_, index) => `tenant ${index}`);
    for (let times = 0; times < 2; times++) {
      for (const tenant of tenants.slice(1)) await container.sessions.credentialsOf(tenant);
    }
    expect(container.opened).toHaveLength(5_000);
    for (const tenant of tenants.slice(0, 2)) await container.sessions.credentialsOf(tenant);
    expect(container.opened).toHaveLength(5_002);
  });
});
