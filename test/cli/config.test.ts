import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../../src/cli/config.ts';
import { folderWith } from '../support/command-line.ts';

type Words = Readonly<Record<string, string>>;

/** A settings file that is empty, so that the folder of the test run has no say. */
const EMPTY = join(folderWith({ 'empty.yaml': '' }), 'empty.yaml');

function settings(flags: Words, env: Words = {}): Config {
  const result = readConfig({ config: EMPTY, ...flags }, env);
  if (!result.ok) throw new Error(result.mistakes.join('\n'));
  return result.config;
}

function mistakes(flags: Words, env: Words = {}): readonly string[] {
  const result = readConfig({ config: EMPTY, ...flags }, env);
  return result.ok ? [] : result.mistakes;
}

/** The mistakes of a settings file, its path left out. */
function mistakesOf(file: string): readonly string[] {
  const config = join(folderWith({ 'p.yaml': file }), 'p.yaml');
  return mistakes({ config }).map((line) => line.replaceAll(config, 'p.yaml'));
}

const URL_RULE = 'must be an http or https URL whose path ends in /v1';
const PORT_RULE = 'must be a whole number from 0 to 65535';
const FOLDER_OF_SETTINGS =
  'upstream, upstream_key, host, port, admin_host, admin_port, admin_token, client_keys, contracts, store, workers, log_level';

describe('the settings', () => {
  it('have defaults that only this machine reaches', () => {
    expect(settings({})).toEqual({
      upstream: undefined,
      upstreamKey: undefined,
      host: '127.0.0.1',
      port: 8787,
      adminHost: '127.0.0.1',
      adminPort: 8788,
      adminToken: undefined,
      clientKeys: undefined,
      contracts: 'contracts',
      contractsGiven: false,
      logLevel: 'info',
    });
  });

  it('come from flags, then from the environment, then from the file', () => {
    const config = join(folderWith({ 'p.yaml': 'port: 1\nadmin_port: 2\nlog_level: warn\n' }), 'p.yaml');
    const env = { PORTCULLIS_ADMIN_PORT: '3', PORTCULLIS_PORT: '4', PORTCULLIS_LOG_LEVEL: '' };
    expect(settings({ config, port: '5' }, env)).toMatchObject({ port: 5, adminPort: 3, logLevel: 'warn' });
  });

  it('keep the query of the upstream and drop the slash at its end', () => {
    const { upstream } = settings({ upstream: 'https://h:1/a/v1/?api-version=2' });
    expect(upstream?.href).toBe('https://h:1/a/v1?api-version=2');
  });

  it('take client keys as words or as a list', () => {
    expect(settings({ 'client-keys': 'a, b' }).clientKeys).toEqual(new Set(['a', 'b']));
    const config = join(folderWith({ 'p.yaml': 'client_keys: [a, b]\n' }), 'p.yaml');
    expect(settings({ config }).clientKeys).toEqual(new Set(['a', 'b']));
  });

  const WRONG: readonly (readonly [string, Words, Words, readonly string[]])[] = [
    ['a port beyond the last', { port: '65536' }, {}, [`port "65536" (flag --port): ${PORT_RULE}`]],
    ['a port that is no number', { port: '0x50' }, {}, [`port "0x50" (flag --port): ${PORT_RULE}`]],
    ['an empty port', { port: '' }, {}, [`port "" (flag --port): ${PORT_RULE}`]],
    [
      'another scheme',
      {},
      { PORTCULLIS_UPSTREAM: 'ftp://h/v1' },
      [`upstream "ftp://h/v1" (environment PORTCULLIS_UPSTREAM): ${URL_RULE}`],
    ],
    [
      'another path, its secrets hidden',
      { upstream: 'https://u:pa/ss@h/v2?key=k' },
      {},
      [`upstream "https://…@h/v2?…" (flag --upstream): ${URL_RULE}`],
    ],
    [
      'a password in the upstream',
      { upstream: 'https://u:pass@h/v1' },
      {},
      [
        'upstream "https://…@h/v1" (flag --upstream): must hold no user name, password or fragment; a key goes into upstream_key',
      ],
    ],
    [
      'a key of two words, which is not shown',
      { 'upstream-key': 'a b' },
      {},
      ['upstream_key (flag --upstream-key): must be one word of printable ASCII characters'],
    ],
    [
      'an empty client key',
      { 'client-keys': 'a,' },
      {},
      [
        'client_keys (flag --client-keys): must be one or more keys, each one word of printable ASCII, separated by commas',
      ],
    ],
    [
      'a store that does not exist yet',
      { store: 'sqlite:x' },
      {},
      ['store "sqlite:x" (flag --store): must be memory:, the only store in this version'],
    ],
    ['several workers', { workers: '2' }, {}, ['workers "2" (flag --workers): must be 1 in this version']],
    [
      'an upstream key for whoever reaches the machine',
      { host: '0.0.0.0', 'upstream-key': 'k' },
      {},
      ['host "0.0.0.0" (flag --host): beyond this machine an upstream_key needs client_keys'],
    ],
    [
      'an admin plane for whoever reaches the machine',
      {},
      { PORTCULLIS_ADMIN_HOST: '::' },
      [
        'admin_host "::" (environment PORTCULLIS_ADMIN_HOST): beyond this machine the admin plane needs an admin_token',
      ],
    ],
    [
      'one port for both planes',
      { port: '8788' },
      {},
      ["admin_port 8788 (default): must differ from port, the data plane's"],
    ],
  ];
  for (const [name, flags, env, expected] of WRONG) {
    it(`refuse ${name}`, () => {
      expect(mistakes(flags, env)).toEqual(expected);
    });
  }

  it('allow planes beyond this machine with keys and a token', () => {
    const flags = {
      host: '::',
      'admin-host': '0.0.0.0',
      'upstream-key': 'k',
      'client-keys': 'c',
      'admin-token': 't',
    };
    expect(mistakes(flags)).toEqual([]);
    expect(mistakes({ host: '0.0.0.0' })).toEqual([]);
  });

  it('list all mistakes of the file with their lines', () => {
    expect(mistakesOf('# ports\nport:\nadmin_port: true\nprot: 1\nupstream:\n  key: secret\n')).toEqual([
      `prot (p.yaml:4): there is no such setting; there are ${FOLDER_OF_SETTINGS}`,
      'upstream (p.yaml:6): must be a URL',
      `port null (p.yaml:2): ${PORT_RULE}`,
      `admin_port true (p.yaml:3): ${PORT_RULE}`,
    ]);
  });

  it('refuse a file that is no mapping, has a key twice, or is not there', () => {
    expect(mistakesOf('- port\n')).toEqual(['p.yaml: must be a mapping of settings']);
    expect(mistakesOf('port: 1\nport: 2\n')).toEqual([expect.stringMatching(/^p\.yaml:2: .*unique/i)]);
    const missing = join(folderWith({}), 'p.yaml');
    expect(mistakes({ config: missing })).toEqual([
      `config ${JSON.stringify(missing)} (flag --config): the file cannot be read`,
    ]);
  });
});
