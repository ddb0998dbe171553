import { type Command, Option } from 'commander';
import { type DoctorOptions, doctor } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/findings.ts';
import { EXIT, printResult, type ResultOptions, withExamples, withJson } from '../result.ts';
import { withTarget } from '../target.ts';

/** `doctor` works under the stack's operator role. */

export function declareDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description(
      'Look whether a stage works, and whether its account has what it needs: identity, quotas, role for logs, trail, table, keys, API, log in, one read; and say in a line each what is wrong',
    )
    .option('--url <address>', 'where the API answers, instead of the output BaseUrl; of npm start by HOST and PORT')
    .option('--app-code <code>', 'key to log in with; its secret is read from PLATFORM_SECRET')
    .addOption(
      new Option('--account', 'look at the account and region alone, as before the first deployment').conflicts(
        'local',
      ),
    )
    .option(
      '--without-role',
      'do not assume the operator role, and so do not look at the table and the key of secrets',
    );
  withJson(withTarget(command, 'OperatorRoleArn', { secrets: true })).action(look);
  withExamples(
    command,
    'doctor --account --region eu-west-1',
    'doctor --outputs outputs.json',
    'doctor --outputs outputs.json --app-code ops   # with PLATFORM_SECRET in the environment',
    'doctor --local',
  );
}

async function look(options: DoctorOptions & ResultOptions): Promise<void> {
  const findings = await doctor(options);
  const isWell = findings.every(({ state }) => state !== 'wrong');
  printResult(options, { ok: isWell, findings }, findings.map(lineOf));
  if (!isWell) process.exitCode = EXIT.found;
}

const lineOf = ({ check, state, detail }: Finding): string => `${STATES[state]}  ${check.padEnd(11)}  ${detail}`;

const STATES = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ', skipped: 'skipped' } as const;
