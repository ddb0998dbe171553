import { pipeline } from '#http';
import { audit } from './contract.ts';
import { auditOperations } from './operations.ts';

export const handler = pipeline(audit, auditOperations);
