import type { Scenario } from './alarms-in.ts';

interface Scenarios {
  readonly raised: Readonly<Record<string, Scenario>>;
  readonly quiet: Readonly<Record<string, Scenario>>;
}

/** Not published. */
const _ = undefined;

/** What raises each alarm and what does not; the last value is that of the period that has just ended. How callers are failed is in `traffic.ts`. */
export const SCENARIOS: Readonly<Record<string, Scenarios>> = {
  heartbeat: {
    raised: {
      'the health check fails': { series: { calls: [1, 1, 1, 1, 1], errors: [1, 1, 1, 1, 1] } },
      'nothing calls any more': { series: {} },
      'some of it is not published yet': { series: { calls: [1, 1, 1, _, _], errors: [1, 1, 1, _, _] } },
    },
    quiet: {
      'the last two minutes are not published yet': { series: { calls: [1, 1, 1, _, _], errors: [0, 0, 0, _, _] } },
      'four in a row failed': { series: { calls: [1, 1, 1, 1, 1], errors: [0, 1, 1, 1, 1] } },
    },
  },
  'access-denied': {
    raised: { 'a single call': { series: { value: [1, _] } } },
    quiet: { none: { series: { value: [_, _] } }, 'it is over': { series: { value: [1, _, _] } } },
  },
  'login-failing': {
    raised: {
      'somebody guesses': { series: { failed: [80, 80, 80], attempts: [90, 90, 90] } },
      'they are refused before they reach the function': { series: { failed: [80, 80, 80] } },
    },
    quiet: {
      'an integration has an outdated secret': { series: { failed: [45, 45, 45], attempts: [50, 50, 50] } },
      'a few of many': { series: { failed: [90, 90, 90], attempts: [900, 900, 900] } },
    },
  },
  'certificate-expiring': {
    raised: { 'it was not renewed': { series: { value: [29] } } },
    quiet: { 'there is time': { series: { value: [30] } }, 'nothing is published yet': { series: {} } },
  },
  'kms-signing-quota': {
    raised: { 'little is left': { series: { used: [900, 900, 900] }, quotas: { used: 1000 } } },
    quiet: { 'enough is left': { series: { used: [700, 700, 700, 700] }, quotas: { used: 1000 } } },
  },
  'api-slow': {
    raised: {
      'many requests are slow for long': { series: { value: [4000, 3000, 5000, 100], samples: [100, 500, 100, 100] } },
      'the last period is not published yet': { series: { value: [4000, 4000, 4000, _], samples: [100, 100, 100, _] } },
    },
    quiet: {
      'it is soon over': { series: { value: [100, 4000, 4000, 100], samples: [500, 500, 500, 500] } },
      'few requests are slow': { series: { value: [9000, 9000, 9000, 9000], samples: [99, 99, 99, 99] } },
      'nobody sends any': { series: {} },
    },
  },
  'api-429': {
    raised: {
      'a tenth is refused for long': { series: { refused: [200, 0, 150], requests: [2000, 2000, 1500] } },
    },
    quiet: {
      'it is soon over': { series: { refused: [0, 900, 0], requests: [2000, 2000, 2000] } },
      'one client without much to do is refused': { series: { refused: [90, 90, 90], requests: [100, 100, 100] } },
      'nobody is refused': { series: { requests: [5000, 5000, 5000] } },
    },
  },
  'authorizer-failing': {
    raised: {
      'nobody can be told': { series: { failed: [900], requests: [900] } },
      'lines come without requests being published': { series: { failed: [5] } },
    },
    quiet: {
      'once in a while': { series: { failed: [4, 4], requests: [100, 100] } },
      'refusals, which are no failures': { series: { failed: [0, 0], requests: [9000, 9000] } },
    },
  },
  'authorizer-slow': {
    raised: { 'for long': { series: { value: [1500, 1500, 1500], samples: [100, 100, 100] } } },
    quiet: {
      'few cold starts': { series: { value: [2500, 2500, 2500, 2500], samples: [20, 20, 20, 20] } },
      'for a while': { series: { value: [2500, 2500], samples: [200, 200] } },
    },
  },
  'function-clients': {
    raised: {
      'it crashes': { series: { errors: [3], invocations: [3] } },
      'it is throttled whenever it is called': { series: { throttles: [50] } },
      'both, each below': { series: { errors: [6], throttles: [6], invocations: [1000] } },
    },
    quiet: {
      'it crashes once': { series: { errors: [1, 1], invocations: [1, 1], throttles: [0, 0] } },
      'one of a thousand crashes': { series: { errors: [10], invocations: [10_000] } },
      'it is not called': { series: {} },
    },
  },
  'rollback-api': {
    raised: {
      'one of a hundred fails in one minute': { series: { failed: [0, 10, 0], requests: [900, 900, 900] } },
      'all of few fail': { series: { failed: [3], requests: [3] } },
      'the last minutes are not published yet': { series: { failed: [50, _, _], requests: [90, _, _] } },
    },
    quiet: {
      'one of three fails': { series: { failed: [1, 1, 1], requests: [3, 3, 3] } },
      'it is over': { series: { failed: [90, 0, 0, 0], requests: [90, 90, 90, 90] } },
      'nobody sends any': { series: {} },
    },
  },
  'rollback-clients': {
    raised: {
      'the new version crashes whenever it is called': { series: { errors: [_, 2], invocations: [_, 2] } },
      'it crashes before its calls are published': { series: { errors: [5] } },
      'one of twenty crashes': { series: { errors: [20], invocations: [400] } },
    },
    quiet: {
      'it crashes once': { series: { errors: [1, 0, 1], invocations: [1, 1, 1] } },
      'one of a thousand crashes': { series: { errors: [5], invocations: [5_000] } },
      'it is not called': { series: {} },
    },
  },
  'functions-concurrency': {
    raised: {
      'little is left': { series: { used: [850, 900, 810], quota: [700, 700, 700] }, quotas: { quota: 1000 } },
    },
    quiet: {
      'enough is left': { series: { used: [790, 790, 790], quota: [700, 700, 700] }, quotas: { quota: 1000 } },
      'the quota was raised': { series: { used: [850, 900, 810], quota: [700, 700, 700] }, quotas: { quota: 5000 } },
      'for a moment': { series: { used: [10, 1000, 10], quota: [10, 1000, 10] }, quotas: { quota: 1000 } },
    },
  },
  'table-throttled': {
    raised: {
      'writes only': { series: { writes: [20, 40], requests: [1000, 1000] } },
      'reads only': { series: { reads: [20, 40], requests: [1000, 1000] } },
      'both, each below': { series: { reads: [6, 6], writes: [6, 6], requests: [500, 500] } },
      'by the operator, without requests': { series: { writes: [500, 500] } },
    },
    quiet: {
      'a hot minute': { series: { writes: [300, _, _], requests: [1000, 1000, 1000] } },
      'few of many': { series: { writes: [50, 50, 50], requests: [9000, 9000, 9000] } },
    },
  },
  'table-failing': {
    raised: {
      'one operation': { series: { ofGetItem: [10] } },
      'each a little': { series: { ofGetItem: [5], ofTransactWriteItems: [5], requests: [900] } },
    },
    quiet: {
      'now and then': { series: { ofGetItem: [3, 3], ofQuery: [3, 3], requests: [100, 100] } },
      'few of many': { series: { ofGetItem: [80, 80], requests: [9000, 9000] } },
    },
  },
  'table-conflicts': {
    raised: { 'many writes meet': { series: { conflicts: [80, 80], committed: [400, 400] } } },
    quiet: {
      'few writes meet': { series: { conflicts: [49, 49, 49], committed: [60, 60, 60] } },
      'few of many': { series: { conflicts: [90, 90, 90], committed: [1000, 1000, 1000] } },
    },
  },
  'kms-throttled': {
    raised: { 'logins fail': { series: { throttled: [10], requests: [200] } } },
    quiet: { 'once in a while': { series: { throttled: [2, 2], requests: [50, 50] } } },
  },
  'kms-quota': {
    raised: { 'little is left': { series: { used: [500, 500, 500] }, quotas: { used: 600 } } },
    quiet: {
      'enough is left': { series: { used: [400, 400, 400, 400] }, quotas: { used: 600 } },
      'nobody calls': { series: {}, quotas: { used: 600 } },
    },
  },
  'firewall-blocking': {
    raised: {
      'an attack': { series: { blocked: [5000], allowed: [9000] } },
      'a rule that refuses everybody': { series: { blocked: [400] } },
    },
    quiet: {
      'the noise of every public address': { series: { blocked: [150, 150], allowed: [100, 100] } },
      'a scan among many requests': { series: { blocked: [900, 900], allowed: [9000, 9000] } },
    },
  },
};
