/** What can be asked of the command line? One text a command, each with an example that runs as it is. */

export type HelpTopic = 'portcullis' | 'serve' | 'read' | 'contract';

export const HELP: Readonly<Record<HelpTopic, string>> = {
  portcullis: `portcullis: an OpenAI-compatible proxy that enforces JSON reply contracts

  portcullis serve                                    start the proxy (with a demo, where no upstream is named)
  portcullis read --contract FILE [FILE…|-]           read saved replies under a contract
  portcullis read --ndjson                            the same for programs: a JSON line in, a JSON line out
  portcullis contract check PATH…                     compile contract files and folders

  --help      after a command: its flags
  --version
`,
  serve: `portcullis serve: start the proxy

Each flag is also a variable in the environment and a line of portcullis.yaml; a flag wins over the environment,
the environment over the file.

  --upstream URL        PORTCULLIS_UPSTREAM        base URL ending in /v1; without one, an embedded demo answers
  --upstream-key KEY    PORTCULLIS_UPSTREAM_KEY    presented upstream in place of the client's own key
  --client-keys A,B     PORTCULLIS_CLIENT_KEYS     keys that clients must present
  --host HOST           PORTCULLIS_HOST            data plane, default 127.0.0.1
  --port N              PORTCULLIS_PORT            default 8787; 0 takes a free one
  --admin-host HOST     PORTCULLIS_ADMIN_HOST      admin plane, default 127.0.0.1
  --admin-port N        PORTCULLIS_ADMIN_PORT      default 8788; 0 takes a free one
  --admin-token TOKEN   PORTCULLIS_ADMIN_TOKEN     asked of whoever uses the admin plane
  --contracts FOLDER    PORTCULLIS_CONTRACTS       default contracts
  --store memory:       PORTCULLIS_STORE           where refusals are kept; memory: is the only one in this version
  --workers 1           PORTCULLIS_WORKERS         1 is the only number in this version
  --log-level LEVEL     PORTCULLIS_LOG_LEVEL       fatal, error, warn, info (default), debug or silent
  --config FILE                                    default portcullis.yaml, where there is one

In portcullis.yaml the names have underscores: upstream_key, admin_port. Other users of the machine can see flags:
give keys and tokens in the environment or the file.

  portcullis serve --upstream http://127.0.0.1:11434/v1
`,
  read: `portcullis read: read saved replies with the proxy's own code, offline

  portcullis read --contract FILE [FILE…|-]

FILE after --contract is a contract file or a bare JSON Schema. Each reply is a file, or - for standard input. What is
verified goes to standard output; repairs, and refusals with their place, go to standard error.
Exit code 0: every reply has a reading; 1: one is refused; 2: usage, or a file that cannot be read.

  portcullis read --ndjson

In, a line:   {"id","text","contract","finish_reason"?}     contract: a JSON Schema or a whole contract
Out, a line:  {"id","ok":true,"text","repairs"} or {"id","ok":false,"code","at","message"}
The answers come in the order of the lines, each as soon as its line has come.

  echo '{"verdict":"pass","reasoning":"no counterexample"}' | portcullis read --contract contracts/falsify.yaml -
`,
  contract: `portcullis contract: work with contract files

  portcullis contract check PATH…

Compiles files and folders. Prints the route and the fingerprint of each contract, or each mistake with its place.
Exit code 0: all compile; 1: one does not; 2: usage, or a path that cannot be read.

  portcullis contract check contracts
`,
};
