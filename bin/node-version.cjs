'use strict';

/**
 * Says in a line that a Node is too old. In the JavaScript of 2015, for that Node must be able to read it.
 *
 *     node bin/node-version.cjs          at the end of npm ci: of the Node that npm itself runs on
 *     node -r ./bin/node-version.cjs …   before a program: of the Node that runs it
 */

const { engines, devDependencies } = require('../package.json');

const INSTALL = 'install a newer one (https://nodejs.org), then run npm ci again.';
const RUN =
  'npm ci brings one, which npm start, npm run and npx use; run npm ci, without --ignore-scripts and --omit=dev.';

const majorOf = (text) => Number((/\d+/.exec(text) || ['0'])[0]);

function demand(least, version, advice) {
  if (majorOf(version) >= least) return;
  console.error(`Custodia needs Node ${least} or later here, and this is ${version}: ${advice}`);
  process.exit(1);
}

if (require.main === module) {
  // npm runs scripts on the Node that it has just installed, and says which one it runs on itself.
  const npms = /\bnode\/(v\S+)/.exec(process.env.npm_config_user_agent || '');
  demand(majorOf(engines.node), npms ? npms[1] : process.version, INSTALL);
} else {
  demand(majorOf(devDependencies.node), process.version, RUN);
}
