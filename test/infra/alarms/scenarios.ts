import type { Series } from './alarms-in.ts';

/** What happens, what is published of it by the ids of metrics, and what quotas are. The last value is that of the period that has just ended. */
type Scenario = readonly [
  what: string,
  series: Readonly<Record<string, Series>>,
  quotas?: Readonly<Record<string, number>>,
];

/** Not published. */
const _ = undefined;

/** What raises each alarm and what does not. How callers are failed is in `traffic.ts`. */
export const SCENARIOS: Readonly<
  Record<string, { readonly raised: readonly Scenario[]; readonly quiet: readonly Scenario[] }>
> = {
  heartbeat: {
    raised: [
      ['nothing calls any more', {}],
      ['the health check fails, some of it not published yet', { calls: [1, 1, 1, _, _], errors: [1, 1, 1, _, _] }],
    ],
    quiet: [
      ['the last two minutes are not published yet', { calls: [1, 1, 1, _, _], errors: [0, 0, 0, _, _] }],
      ['four in a row failed', { calls: [1, 1, 1, 1, 1], errors: [0, 1, 1, 1, 1] }],
    ],
  },
  'access-denied': { raised: [['a single call', { value: [1, _] }]], quiet: [['it is over', { value: [1, _, _] }]] },
  'login-failing': {
    raised: [
      ['somebody guesses', { failed: [80, 80, 80], attempts: [90, 90, 90] }],
      ['guesses are refused before they reach the function', { failed: [80, 80, 80] }],
    ],
    quiet: [
      ['an integration has an outdated secret', { failed: [45, 45, 45], attempts: [50, 50, 50] }],
      ['a few of many', { failed: [90, 90, 90], attempts: [900, 900, 900] }],
    ],
  },
  'certificate-expiring': {
    raised: [['it was not renewed', { value: [29] }]],
    quiet: [['there is time', { value: [30] }]],
  },
  'kms-signing-quota': {
    raised: [['little is left', { used: [900, 900, 900] }, { used: 1000 }]],
    quiet: [['enough is left', { used: [700, 700, 700, 700] }, { used: 1000 }]],
  },
  'kms-quota': {
    raised: [['little is left', { used: [500, 500, 500] }, { used: 600 }]],
    quiet: [['enough is left', { used: [400, 400, 400, 400] }, { used: 600 }]],
  },
  'kms-throttled': {
    raised: [['logins fail', { throttled: [10], requests: [200] }]],
    quiet: [['once in a while', { throttled: [2, 2], requests: [50, 50] }]],
  },
  'api-slow': {
    raised: [
      ['for long, the last period not published', { value: [4000, 4000, 4000, _], samples: [100, 100, 100, _] }],
    ],
    quiet: [
      ['it is soon over', { value: [100, 4000, 4000, 100], samples: [500, 500, 500, 500] }],
      ['few requests are slow', { value: [9000, 9000, 9000, 9000], samples: [99, 99, 99, 99] }],
    ],
  },
  'api-429': {
    raised: [['a tenth is refused for long', { refused: [200, 0, 150], requests: [2000, 2000, 1500] }]],
    quiet: [
      ['it is soon over', { refused: [0, 900, 0], requests: [2000, 2000, 2000] }],
      ['one client without much to do is refused', { refused: [90, 90, 90], requests: [100, 100, 100] }],
    ],
  },
  'authorizer-failing': {
    raised: [
      ['nobody can be told', { failed: [900], requests: [900] }],
      ['lines come without requests being published', { failed: [5] }],
    ],
    quiet: [['once in a while', { failed: [4, 4], requests: [100, 100] }]],
  },
  'authorizer-slow': {
    raised: [['for long', { value: [1500, 1500, 1500], samples: [100, 100, 100] }]],
    quiet: [
      ['few cold starts', { value: [2500, 2500, 2500, 2500], samples: [20, 20, 20, 20] }],
      ['for a while', { value: [2500, 2500], samples: [200, 200] }],
    ],
  },
  'function-clients': {
    raised: [
      ['it crashes', { errors: [3], invocations: [3] }],
      ['it is throttled whenever it is called', { throttles: [50] }],
      ['both, each below', { errors: [6], throttles: [6], invocations: [1000] }],
    ],
    quiet: [
      ['it crashes once', { errors: [1, 1], invocations: [1, 1], throttles: [0, 0] }],
      ['one of a thousand crashes', { errors: [10], invocations: [10_000] }],
    ],
  },
  'rollback-api': {
    raised: [
      ['one of a hundred fails in one minute', { failed: [0, 10, 0], requests: [900, 900, 900] }],
      ['the last minutes are not published yet', { failed: [3, _, _], requests: [3, _, _] }],
    ],
    quiet: [
      ['one of three fails', { failed: [1, 1, 1], requests: [3, 3, 3] }],
      ['it is over', { failed: [90, 0, 0, 0], requests: [90, 90, 90, 90] }],
    ],
  },
  'rollback-clients': {
    raised: [
      ['it crashes before its calls are published', { errors: [_, 2] }],
      ['one of twenty crashes', { errors: [20], invocations: [400] }],
    ],
    quiet: [
      ['it crashes once', { errors: [1, 0, 1], invocations: [1, 1, 1] }],
      ['one of a thousand crashes', { errors: [5], invocations: [5_000] }],
    ],
  },
  'functions-concurrency': {
    raised: [['little is left', { used: [850, 900, 810], quota: [700, 700, 700] }, { quota: 1000 }]],
    quiet: [
      ['the quota was raised', { used: [850, 900, 810], quota: [700, 700, 700] }, { quota: 5000 }],
      ['for a moment', { used: [10, 1000, 10], quota: [10, 1000, 10] }, { quota: 1000 }],
    ],
  },
  'table-throttled': {
    raised: [
      ['both, each below', { reads: [6, 6], writes: [6, 6], requests: [500, 500] }],
      ['by the operator, without requests', { writes: [500, 500] }],
    ],
    quiet: [
      ['a hot minute', { writes: [300, _, _], requests: [1000, 1000, 1000] }],
      ['few of many', { writes: [50, 50, 50], requests: [9000, 9000, 9000] }],
    ],
  },
  'table-failing': {
    raised: [['each a little', { ofGetItem: [5], ofTransactWriteItems: [5], requests: [900] }]],
    quiet: [
      ['now and then', { ofGetItem: [3, 3], ofQuery: [3, 3], requests: [100, 100] }],
      ['few of many', { ofGetItem: [80, 80], requests: [9000, 9000] }],
    ],
  },
  'table-conflicts': {
    raised: [['many writes meet', { conflicts: [80, 80], committed: [400, 400] }]],
    quiet: [
      ['few writes meet', { conflicts: [49, 49, 49], committed: [60, 60, 60] }],
      ['few of many', { conflicts: [90, 90, 90], committed: [1000, 1000, 1000] }],
    ],
  },
  'firewall-blocking': {
    raised: [
      ['an attack', { blocked: [5000], allowed: [9000] }],
      ['a rule that refuses everybody', { blocked: [400] }],
    ],
    quiet: [
      ['the noise of every public address', { blocked: [150, 150], allowed: [100, 100] }],
      ['a scan among many requests', { blocked: [900, 900], allowed: [9000, 9000] }],
    ],
  },
};
