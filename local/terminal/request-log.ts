import { addingTo } from '#local-dynamodb';
import type { Around, EndedRequest } from '../gateway/options.ts';
import { type Color, type Log, painter } from './log.ts';

/** Writes a line for every request: method, path, status, time, calls of DynamoDB with their units, tenant. */
export const terminalRequestLog =
  ({ info }: Log, stdout: NodeJS.WritableStream = process.stdout): Around =>
  async ({ method, target }, serve) => {
    const paint = painter(stdout);
    const usage = { calls: 0, readUnits: 0, writeUnits: 0 };
    const start = performance.now();
    const ended = await addingTo(usage, serve);
    const milliseconds = Math.round(performance.now() - start);
    const request = `${method.padEnd(6)} ${shown(target).padEnd(PATH_WIDTH)}`;
    const status = paint(colorOf(ended.status), String(ended.status));
    const cost = `${milliseconds} ms`.padStart(8);
    info(`${request} ${status} ${cost}  ${paint('dim', `${usageText(usage)}  ${tenantOf(ended)}`)}`);
    return ended;
  };

const PATH_WIDTH = 56;
const LONGEST = 200;

/** The target in one line, without characters that a terminal would interpret. */
const shown = (target: string): string => {
  const text = target.replaceAll(/[^\x21-\x7e]/g, '?');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

function colorOf(status: number): Color {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

const usageText = ({ calls, readUnits, writeUnits }: Parameters<typeof addingTo>[0]): string =>
  `${calls} ${calls === 1 ? 'call' : 'calls'}`.padEnd(9) + `${readUnits} read ${writeUnits} write`.padEnd(19);

const tenantOf = ({ caller }: EndedRequest): string => {
  if (caller?.org_id === undefined) return '-';
  return caller.org_id === '' ? 'platform' : String(caller.org_id);
};
