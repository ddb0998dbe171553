import { markdown } from '../../generate/markdown.ts';
import { COLOURS, plotOfBars } from '../bars.ts';
import type { Bound } from '../bounds.ts';
import type { Memory } from './memory.ts';
import type { Misses } from './misses.ts';
import { DISTRIBUTIONS, type Simulated } from './sessions.ts';

export interface SessionFigures {
  readonly simulated: readonly Simulated[];
  readonly misses: Misses;
  readonly memory: Memory;
}

/** Of bytes: more than half of a session is its token. */
const SESSION_BYTES = 2_000;
/** A tenant with requests all the time has its session renewed after 45 to 55 minutes: at most three in two hours. */
const MOST_OF_TENANT = 3;

export function sessionTables({ simulated, misses, memory }: SessionFigures): string {
  const micros = (value: number) => `${Math.round(value)} µs`;
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;
  return [
    markdown({
      head: [
        'tenants',
        'requests',
        'calls a request',
        'in the second hour',
        'with the sessions of 100',
        'clients made anew',
      ],
      rows: simulated.map(({ tenants, distribution, calls, laterCalls, callsWithoutRoom, clients }) => [
        tenants.toLocaleString('en'),
        distribution,
        ...[calls, laterCalls, callsWithoutRoom].map((each) => each.toFixed(4)),
        clients.toFixed(2),
      ]),
    }),
    markdown({
      head: ['a tenant’s first call in a request', 'CPU time', 'memory', ''],
      rows: [
        ['client and session kept', micros(misses.hit), 'a session', kilobytes(memory.session)],
        ['client made anew', micros(misses.clientAnew), 'a client', kilobytes(memory.client)],
        ['session opened', micros(misses.sessionAnew), 'all', `${(memory.full / 1e6).toFixed(1)} MB`],
      ],
    }),
  ].join('\n\n');
}

/** A client's configuration, its chain of middlewares and its signing key. */
const CLIENT_ANEW = 12;

export const sessionBounds = ({ simulated, misses, memory }: SessionFigures): Bound[] => [
  ...simulated.flatMap(({ tenants, distribution, needless, mostOfTenant }) => [
    {
      claim: `sessions opened before the last was due, ${tenants} tenants, ${distribution}`,
      value: needless,
      limit: 0,
    },
    {
      claim: `sessions of one tenant in two hours, ${tenants} tenants, ${distribution}`,
      value: mostOfTenant,
      limit: MOST_OF_TENANT,
    },
  ]),
  {
    claim: 'CPU time of a GetItem whose client is made anew, against one whose client is kept',
    value: Number((misses.clientAnew / misses.hit).toFixed(1)),
    limit: CLIENT_ANEW,
  },
  { claim: 'bytes of a kept session', value: Math.round(memory.session), limit: SESSION_BYTES },
];

export function plotOfSessions(simulated: readonly Simulated[]): string {
  return plotOfBars({
    title: 'Calls of AssumeRole a request',
    subtitle: 'One container, 20 requests a second for two simulated hours',
    series: [
      { label: 'sessions of 5,000 tenants', colour: COLOURS[0] },
      { label: 'sessions of 100', colour: COLOURS[4] },
    ],
    groups: DISTRIBUTIONS.flatMap((distribution) =>
      simulated
        .filter((each) => each.distribution === distribution)
        .map(({ tenants, calls, callsWithoutRoom }) => ({
          label: `${tenants.toLocaleString('en')}, ${distribution}`,
          values: [calls, callsWithoutRoom],
        })),
    ),
    lines: [],
    digits: 3,
  });
}
