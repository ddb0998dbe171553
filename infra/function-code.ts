import { readdirSync } from 'node:fs';
import { AssetHashType, FileSystem } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { CODE_CACHE } from '#bundling';

const MAPS = '*.map';

/**
 * The code of a function, from the directory of its bundle. V8's code caches differ each time they are made, so they count by their names alone:
 * the same code, for the same Node, is no new version of the function.
 */
export const functionCode = (bundle: string): Code =>
  Code.fromAsset(bundle, {
    exclude: [MAPS],
    assetHashType: AssetHashType.CUSTOM,
    assetHash: FileSystem.fingerprint(bundle, {
      exclude: [MAPS, `*${CODE_CACHE}`],
      extraHash: readdirSync(bundle)
        .filter((name) => name.endsWith(CODE_CACHE))
        .join(),
    }),
  });
