import fc from 'fast-check';

/** fast-check has a fixed seed: a failing run fails again, and a passing one was not lucky. */
fc.configureGlobal({ seed: 20_261_122 });
