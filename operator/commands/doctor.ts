import { command } from '../command.ts';
import type { Finding } from '../doctor/account.ts';
import { type DoctorOptions, doctor } from '../doctor/doctor.ts';

/** `doctor` works under the stack's operator role. */
export const declareDoctor = command<DoctorOptions>({
  name: 'doctor',
  description:
    'Look whether a stage works, and whether its account has what it needs: identity, quotas, role for logs, ' +
    'trail, table, keys, API, log in, one read; and say in a line each what is wrong',
  role: 'OperatorRoleArn',
  isOfStage: true,
  secrets: true,
  options: (declared) =>
    declared
      .option('--url <address>', 'where the API answers, instead of the output BaseUrl')
      .option('--app-code <code>', 'key to log in with; its secret is read from PLATFORM_SECRET')
      .option('--account', 'look at the account and region alone, as before the first deployment')
      .option(
        '--without-role',
        'do not assume the operator role, and so do not look at the table and the key of secrets',
      ),
  examples: [
    'doctor --account --region eu-west-1',
    'doctor --outputs outputs.json',
    'doctor --outputs outputs.json --app-code ops   # with PLATFORM_SECRET in the environment',
  ],
  run: async (options) => {
    const findings = await doctor(options);
    const ok = findings.every(({ state }) => state !== 'wrong');
    return { value: { ok, findings }, lines: findings.map(lineOf), isNegative: !ok };
  },
});

const lineOf = ({ check, state, detail }: Finding): string => `${STATES[state]}  ${check.padEnd(11)}  ${detail}`;

const STATES = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ', skipped: 'skipped' } as const;
