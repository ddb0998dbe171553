import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contracts } from '../functions/all-contracts.ts';
import { openApiDocument } from '../shared/contract/openapi/document.ts';
import { documentText } from '../shared/contract/openapi/text.ts';

/** `npm run openapi`: writes the OpenAPI document of the contracts to `openapi.json`, which is committed and served. */
await writeFile(join(import.meta.dirname, '../openapi.json'), documentText(openApiDocument(contracts)));
