import { mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';
const c = mergeConfig({}, base);
for (const p of c.test.projects) p.test.setupFiles = ['/tmp/tm/cpu.ts'];
if (process.env.TM_WORKERS) c.test.maxWorkers = Number(process.env.TM_WORKERS);
export default c;
