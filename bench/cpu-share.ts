/**
 * Lambda gives a function one CPU at this memory, in MB, and a share of one below it, while a request is served
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). While it is loaded it has a whole CPU.
 */
export const MEMORY_OF_ONE_CPU = 1_769;

/** CPU time of a function's cold start, in ms. */
export interface ColdStart {
  readonly importMs: number;
  readonly requestMs: number;
}

/** How long a cold start computes with this memory, in ms. */
export const weightedMs = ({ importMs, requestMs }: ColdStart, memory: number): number =>
  importMs + requestMs / Math.min(1, memory / MEMORY_OF_ONE_CPU);
