import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Launch, Launched } from './launcher.ts';

/** A function, its environment and its first request. */
export interface Startable extends Launch {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Expected status; undefined where the response has none, as the authorizer's. */
  readonly status: number | undefined;
}

/** In MB; what the stack gives a function unless a stage says otherwise. */
const MEMORY = 512;

/**
 * The flags with which Lambda's runtime starts Node (`/var/runtime/bootstrap` of its image): a tenth of the memory is
 * the young generation, half of which is a semi-space.
 */
const FLAGS = [
  '--expose-gc',
  '--max-http-header-size=81920',
  `--max-semi-space-size=${Math.floor(MEMORY / 20)}`,
  `--max-old-space-size=${MEMORY - Math.floor(MEMORY / 10)}`,
];

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
const LAMBDA = {
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY),
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
};

/**
 * Starts a function in a fresh process, as Lambda does.
 * @param directory that has the launcher, and where the launch is written
 * @param shared environment of every function
 * @throws Error when the first request does not get the expected response
 */
export async function startFunction(
  { name, environment, status, ...launch }: Startable,
  directory: string,
  shared: Readonly<Record<string, string>>,
): Promise<Launched> {
  const file = join(directory, `${name}.json`);
  await writeFile(file, JSON.stringify(launch satisfies Launch));
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, join(directory, 'launcher.mjs'), file], {
    env: { ...LAMBDA, ...shared, ...environment },
    maxBuffer: 16_777_216,
  });
  const launched: Launched = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  if (launched.result.statusCode !== status)
    throw new Error(`${name} answered ${launched.result.statusCode} and not ${status}: ${stdout.slice(0, 2_000)}`);
  return launched;
}
