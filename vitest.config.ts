import { defineConfig, type ViteUserConfig } from 'vitest/config';

const { VITEST_JSON } = process.env;

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'threads',
    reporters: VITEST_JSON === undefined ? ['default'] : ['default', ['json', { outputFile: VITEST_JSON }]],
  },
});

export default config;
