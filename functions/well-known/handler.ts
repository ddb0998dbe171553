import { pipeline } from '../../shared/http/pipeline.ts';
import { wellKnown } from './contract.ts';
import { wellKnownOperations } from './operations.ts';

export const handler = pipeline(wellKnown, wellKnownOperations);
