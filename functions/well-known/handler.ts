import { pipeline } from '#http';
import { wellKnown } from './contract.ts';
import { wellKnownOperations } from './operations.ts';

export const handler = pipeline(wellKnown, wellKnownOperations);
