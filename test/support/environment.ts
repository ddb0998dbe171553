/**
 * Removes variables of the test runner (`FORCE_COLOR`) that would colour the output which tests read, for this process
 * and its children.
 */
for (const name of ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) delete process.env[name];
