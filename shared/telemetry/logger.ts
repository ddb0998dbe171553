import { annotations } from './invocation.ts';

/** The fields of a line besides its message. */
export interface About {
  readonly error?: Error;
}

type Level = 'warn' | 'error';

/** Pending lines; they are written in the order in which they were logged. */
let unwritten: Promise<void> | undefined;

/**
 * The logger of all functions. It adds the annotations of the invocation to every line; keys that are appended to Powertools' logger itself
 * would be those of all requests of the process. Powertools' logger is loaded when there is a line to write, because it takes a cold start 15 ms
 * (`docs/decisions/0054-what-functions-load.md`): the line is written when {@link logged} resolves.
 */
export const logger = {
  warn: (message: string, about: About = {}): void => write('warn', message, about),
  error: (message: string, about: About = {}): void => write('error', message, about),
};

/** Waits for the lines that were logged until now. Lambda may freeze the container after the response, so `observe` waits before it. */
export const logged = async (): Promise<void> => unwritten;

function write(level: Level, message: string, about: About): void {
  const line = { ...annotations(), ...about };
  const all = writeAfter(unwritten, level, message, line).then(() => {
    if (unwritten === all) unwritten = undefined;
  });
  unwritten = all;
}

async function writeAfter(
  earlier: Promise<void> | undefined,
  level: Level,
  message: string,
  line: About,
): Promise<void> {
  try {
    const [{ logWriter }] = await Promise.all([import('./log-writer.ts'), earlier]);
    logWriter[level](message, { ...line });
  } catch {
    // Without the error: only the writer knows which fields of an error may be written.
    const { error: _, ...rest } = line;
    process.stdout.write(`${JSON.stringify({ level: level.toUpperCase(), message, ...rest })}\n`);
  }
}
