import * as z from 'zod';
import { OperatorProblem } from '../../../problem.ts';

/** @throws OperatorProblem when `--endpoint` is no id */
export function endpointIdIn(endpoint: string): string {
  const id = z.guid().toLowerCase().safeParse(endpoint).data;
  if (id === undefined) throw new OperatorProblem('--endpoint must be the id of a webhook endpoint.');
  return id;
}
