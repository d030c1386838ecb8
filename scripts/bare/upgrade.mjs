// An upgrade of the host by its one command, and upgrades that fail, while programs call the API and mail arrives.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError } from '../process/plain-error.mjs';
import { interruptionsOf } from './interruptions.mjs';

const CLONE = '/root/next';
const ENOUGH = '/root/enough';
const COMMIT = 'git -c user.name=Ann -c user.email=ann@example.test commit --quiet --all --message Next';
const RUNNING =
  "sed -n 's/^WorkingDirectory=//p' /etc/systemd/system/postroom.service /etc/systemd/system/postroom-mail-agent.service";
const RETRY_MS = 1_000;
const MIGRATION = 'prisma/migrations/20990101000000_next/migration.sql';

const UPGRADE = '/opt/postroom/deploy/install --upgrade';
const UNIT = 'deploy/mail/systemd/postroom-mail-dovecot.service';
/** An upgrade is killed before each of these: while requests wait for the app, and while services run with a former unit. */
const KILLED_BEFORE = ['systemctl restart postroom', 'systemctl restart postroom-mail-'];
/** Every service runs, the console answers through the proxy, and the mail server accepts mail. */
const SERVED = `systemctl is-active --quiet postroom caddy postroom-mail-{redis,rspamd,dovecot,postfix,agent}
  curl -sSkf --retry 30 --retry-delay 1 --retry-all-errors -o /dev/null CONSOLE/login
  curl -sS smtp://127.0.0.1:25 -X NOOP -o /dev/null`;

/**
 * @param {{
 *   host: Awaited<ReturnType<typeof import('./host.mjs').startBareHost>>, root: string, commands: string, environment: string,
 *   signIn: string, mailbox: string,
 * }} setting `commands`: those of the documentation, with VERSION; `signIn`: URL, email and password of an admin; `mailbox`: prints the
 *   subjects of its messages
 */
export function upgradesOf({ host, root, commands, environment, signIn, mailbox }) {
  const { must, shell } = host;
  writeFileSync(join(host.root, 'root/load.mjs'), readFileSync(join(root, 'scripts/bare/load.mjs')));

  /** Commits a change of the program. @returns the commit, which the documented commands fetch */
  const commit = async (change) => {
    const text = `[[ -e ${CLONE} ]] || git clone -q /repository ${CLONE}\ncd ${CLONE}\n${change}\ngit add --all\n${COMMIT}`;
    return (await must(`${text}\ngit push -q origin HEAD:refs/heads/next\ngit rev-parse HEAD`)).trim();
  };
  /** Upgrades while there is load. @returns what the upgrade said */
  const upgradeTo = async (version, name) => {
    const load = must(`rm -f ${ENOUGH}\n${environment}\nnode /root/load.mjs ${signIn} ${name} ${ENOUGH}`);
    const upgraded = await shell(`${environment}\n${commands.replace('VERSION', version)}`);
    await must(`touch ${ENOUGH}`);
    const { calls, accepted, refused } = JSON.parse((await load).trim().split('\n').at(-1) ?? '');
    if (refused.length > 0 || accepted.length < 20)
      throw new PlainError(`Of ${calls} calls, these were refused:\n${refused.join('\n')}\n${upgraded.output}`);
    await arrived(accepted);
    return upgraded;
  };
  /** Each message arrives once. */
  const arrived = async (subjects) => {
    const wanted = subjects.toSorted();
    const until = Date.now() + 60_000;
    for (;;) {
      // A message that is deferred while Dovecot restarts is retried only after some minutes.
      const stored = (await must(`postqueue -c /etc/postroom-mail/postfix -f\n${mailbox}`)).split('\n');
      const found = stored.filter((line) => subjects.includes(line)).toSorted();
      if (found.join() === wanted.join()) return;
      if (Date.now() > until)
        throw new PlainError(`Of ${subjects.length} accepted messages, ${found.length} are in the mailbox.`);
      await sleep(RETRY_MS);
    }
  };
  const refusedWith = ({ status, output }, ...sentences) => {
    for (const sentence of [/^This host runs \S+ \(\w+\) as before\./m, ...sentences])
      if (status === 0 || !sentence.test(output)) throw new PlainError(`It did not say ${sentence}:\n${output}`);
  };

  const { runUntil, walk } = interruptionsOf(host);
  const mustServe = async () => void (await must(SERVED.replace('CONSOLE', signIn.split(' ')[0] ?? '')));
  /** Kills an upgrade before a step, and fails unless the host then serves calls and mail. */
  const killUpgrade = async (step) => {
    const { isKilled, output } = await runUntil(UPGRADE, step);
    if (!isKilled) throw new PlainError(`It did not get to "${step}":\n${output}`);
    await mustServe();
  };

  let installed = '';
  return {
    /** Kills an upgrade before each of its steps. */
    async walking(every) {
      await must(`cd /opt/postroom
        for file in deploy/mail/templates/dovecot/dovecot.conf ${UNIT}; do echo "# $(date)" >>$file; done`);
      const complete = 'already, which is the version in this folder';
      await walk(UPGRADE, { every, signals: ['KILL', 'HUP', 'INT'], complete, afterEach: mustServe });
      await mustServe();
      await must(`cd /opt/postroom && git checkout -q -- deploy`);
    },
    async succeeding() {
      const before = await must(RUNNING);
      const version = await commit(
        `mkdir -p $(dirname ${MIGRATION})\necho 'ALTER TABLE alias ADD COLUMN next text;' >${MIGRATION}
        echo '# Changed.' >>deploy/mail/templates/dovecot/dovecot.conf
        sed -i 's/^Restart=/LimitCORE=1234\\n&/' ${UNIT}`,
      );
      await must(`cd /opt/postroom && git fetch -q && git checkout -q ${version}`);
      for (const step of KILLED_BEFORE) await killUpgrade(step);
      const { status, output } = await upgradeTo(version, 'First');
      if (status !== 0 || !/^Changed 1 file\./m.test(output.replaceAll('  ', ''))) throw new PlainError(output);
      const [dump] = /\/var\/backups\S+\.dump/.exec(output) ?? [];
      await must(`pg_restore --list ${dump} | grep 'TABLE DATA public message '
        tail -1 /etc/postroom-mail/dovecot/dovecot.conf | grep Changed
        [[ $(stat -c %a ${dump}) == 600 ]]
        grep 'core file size *1234' /proc/$(systemctl show --value --property=MainPID postroom-mail-dovecot)/limits`);
      const [app, agent] = (await must(RUNNING)).trim().split('\n');
      // The build was taken over, and must need nothing of the folder that it was made in.
      const [former] = before.split('\n');
      await must(`! grep -rl "$(basename ${former})" ${app}/.next/server`);
      if (app !== agent || before.includes(String(app)))
        throw new PlainError(`The services run in ${app} and ${agent}.`);
      installed = version;
    },
    async failing() {
      const before = await must(RUNNING);
      const bad = await commit(`mkdir -p $(dirname ${MIGRATION.replace('2099', '2100')})
        echo 'CREATE TABLE half (id integer); SELECT 1 / 0;' >${MIGRATION.replace('2099', '2100')}`);
      const migrated = await shell(commands.replace('VERSION', bad));
      refusedWith(migrated, /failed at "Database": The database could not be migrated: 21\S+: division by zero$/m);
      const broken = await commit(`echo 'ALTER TABLE alias ADD COLUMN more text;' >${MIGRATION.replace('2099', '2100')}
        echo 'throw new Error("It does not start.");' >scripts/serve.mjs`);
      refusedWith(
        await upgradeTo(broken, 'Second'),
        /failed at "App": The app ended at each start:$/m,
        /It does not start\./,
      );
      await must(`cd /opt/postroom && git checkout -q ${installed}`);
      const after = await must(`${RUNNING}\nsystemctl is-active --quiet postroom postroom-mail-agent`);
      if (after !== before) throw new PlainError(`The services run in ${after}, and ran in ${before}`);
    },
  };
}
