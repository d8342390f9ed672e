import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The usual number, one less than there are cores, is a single one on two cores; most tests wait for processes of their own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
