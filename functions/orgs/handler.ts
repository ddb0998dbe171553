import { pipeline } from '../../shared/http/pipeline.ts';
import { orgs } from './contract.ts';
import { orgOperations } from './operations.ts';

export const handler = pipeline(orgs, orgOperations);
