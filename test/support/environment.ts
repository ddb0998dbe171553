/**
 * What a tool prints to is asked of the environment, and a runner's own words there (`FORCE_COLOR`) would colour what a test reads: of this
 * process, and of those that it starts.
 */
for (const name of ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) delete process.env[name];
