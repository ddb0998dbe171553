#!/usr/bin/env node
'use strict';

/** `npx custodia`: the operator's command line, on a Node that can run it. */
require('./node-version.cjs');
require('./end-with-npm.cjs');
import('./operator.ts');
