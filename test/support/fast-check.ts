import fc from 'fast-check';

/** What is drawn at random is the same in every run: a red run is red again, and a green one was not lucky. */
fc.configureGlobal({ seed: 20_261_122 });
