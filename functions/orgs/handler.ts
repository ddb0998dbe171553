import { pipeline } from '#http';
import { orgs } from './contract.ts';
import { orgOperations } from './operations.ts';

export const handler = pipeline(orgs, orgOperations);
