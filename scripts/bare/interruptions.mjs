// Kills a command of the host, with all that it started, before its n-th step. Each program that it calls is a step, because between two
// of them the host is in a state that a loss of power, or a kill, can leave.
import { PlainError } from '../process/plain-error.mjs';

const FOLDER = '/run/steps';
const UNIT = 'steps';
/** Programs that installer and upgrade call. Node.js counts as one step, and so do its own changes between two of them. */
const PROGRAMS =
  'apt-get caddy chmod chown cmp cp debconf-set-selections dpkg find groupadd install mv node npm openssl pg_createcluster pg_dump psql ' +
  'rm runuser sed sync systemctl systemd-run tar tee useradd';

/**
 * Counts the steps that root takes, and at the wanted one ends all processes of the command, also those in sessions of their own. Other
 * users can't end them.
 */
const STEP = `#!/bin/bash
real=$(PATH=\${PATH#${FOLDER}/bin:} type -P "\${0##*/}")
((EUID == 0)) || exec "$real" "$@"
exec 9>>${FOLDER}/lock && flock 9
echo "\${0##*/} \${*//$'\\n'/ }" >>${FOLDER}/trace
count=$(wc -l <${FOLDER}/trace)
exec 9>&-
wanted=$(<${FOLDER}/wanted)
if [[ $count == "$wanted" || $wanted == *[a-z]* && "\${0##*/} $*" == *"$wanted"* ]]; then /bin/systemctl kill --signal=$(<${FOLDER}/signal) ${UNIT}.scope; sleep 60; fi
exec "$real" "$@"`;

/**
 * @param {Pick<Awaited<ReturnType<typeof import('./host.mjs').startBareHost>>, 'must' | 'shell'>} host
 */
export function interruptionsOf({ must, shell }) {
  /**
   * Runs a command until its step: a number, or the first program that is called with this text.
   * @param {string} command
   * @param {number | string} step
   * @returns {Promise<{ isKilled: boolean, output: string, trace: string[] }>}
   */
  const runUntil = async (command, step, signal = 'KILL') => {
    const prepare = `mkdir -p ${FOLDER}/bin && cd ${FOLDER} && rm -f trace lock && touch trace lock
      [[ -e bin/step ]] || { cat >bin/step && chmod +x bin/step && for name in ${PROGRAMS}; do ln -s step bin/$name; done; }
      echo '${step}' >wanted && echo ${signal} >signal`;
    await must(prepare, { input: STEP });
    const { output } = await shell(`systemctl reset-failed ${UNIT}.scope 2>/dev/null || true
      PATH=${FOLDER}/bin:$PATH /usr/bin/systemd-run --quiet --scope --unit=${UNIT} ${command} </dev/null || echo "exit code $?"
      timeout 30 bash -c 'while systemctl is-active --quiet ${UNIT}.scope; do sleep 0.1; done'`);
    const trace = (await must(`cat ${FOLDER}/trace`)).trim().split('\n');
    const isKilled = typeof step === 'number' ? trace.length >= step : trace.some((line) => line.includes(step));
    return { isKilled, output, trace };
  };
  return {
    runUntil,
    /**
     * Kills a command at steps that are ever later, running it again after each, until it ends by itself, or says that it was complete.
     * @param {string} command
     * @param {{
     *   first?: number, every?: number, signals?: string[], complete?: string,
     *   afterEach?: (step: number, output: string) => Promise<void>,
     * }} options `complete`: what it says after it was killed during its final report
     * @returns {Promise<string>} what the last run said
     */
    async walk(command, { first = 1, every = 1, signals = ['KILL'], complete, afterEach = async () => {} }) {
      for (let step = first, count = 0; ; step += every, count += 1) {
        const { isKilled, output, trace } = await runUntil(command, step, signals[count % signals.length]);
        const isComplete = complete !== undefined && output.includes(complete);
        if (!isKilled && !isComplete && /^exit code/m.test(output))
          throw new PlainError(`After kills before step ${step}, "${command}" fails:\n${output}`);
        if (!isKilled) return output;
        console.log(`  killed before step ${step}: ${trace.at(-1)}`);
        await afterEach(step, output);
      }
    },
  };
}
