/**
 * The share of a CPU that Lambda gives a function with this memory, in MB: one CPU at 1,769 MB
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html). It applies while a request is served. While the function is
 * loaded it has a whole one.
 */
export const cpuShare = (memory: number): number => Math.min(1, memory / MEMORY_OF_ONE_CPU);

export const MEMORY_OF_ONE_CPU = 1_769;

/** CPU time of a function's cold start, in ms. */
export interface ColdStart {
  readonly importMs: number;
  readonly requestMs: number;
}

/**
 * How long a cold start computes with this memory, in ms: it is loaded at full CPU, and the first request has a share
 * of one.
 */
export const weightedMs = ({ importMs, requestMs }: ColdStart, memory: number): number =>
  importMs + requestMs / cpuShare(memory);
