// Compares compose.yaml with the images and with the settings that are declared.
import { NAMES, nameOnWholeHost, SECRET_SETTINGS } from '../../deploy/mail/settings.mjs';
import { SETTINGS } from '../../src/server/settings/declarations.mjs';
import { settingNames } from '../../src/server/settings/settings.mjs';
import { must, podman } from './engine.mjs';

const TO_JSON = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
const OF_APP = settingNames.filter((name) => SETTINGS[name].isSecret);
const KNOWN = {
  app: [...settingNames, ...OF_APP.map((name) => `${name}_FILE`)],
  mail: [
    ...NAMES.map(nameOnWholeHost),
    ...[...SECRET_SETTINGS.map(nameOnWholeHost), ...OF_APP, 'DATABASE_ADMIN_URL'].map((name) => `${name}_FILE`),
  ],
};

/** @param {string} file @returns {Promise<any>} the content of a YAML file */
export async function readYaml(file) {
  return JSON.parse(await must('python3', ['-c', TO_JSON, file]));
}

/**
 * @param {any} compose
 * @param {string[]} written names of the secrets that `prepare` wrote
 * @param {any} ipv6 what is added for IPv6
 * @returns {Promise<string[]>} the differences
 */
export async function problemsIn(compose, written, ipv6) {
  const problems = [];
  const check = (isRight, sentence) => isRight || problems.push(sentence);
  for (const name of ['app', 'mail']) {
    const service = compose.services[name];
    const [{ Config: config, Healthcheck: healthCheck }] = JSON.parse(
      await podman('image', 'inspect', `localhost/${service.image}`),
    );
    const environment = Object.entries(service.environment);
    for (const [setting] of environment) check(KNOWN[name].includes(setting), `${name} has no setting ${setting}.`);
    const secrets = service.secrets.map((secret) => `/run/secrets/${secret}`);
    const files = environment.filter(([setting]) => setting.endsWith('_FILE')).map(([, path]) => path);
    check(
      `${[...files].sort()}` === `${[...secrets].sort()}`,
      `The files of ${name} are ${files}, its secrets ${secrets}.`,
    );
    for (const port of service.ports ?? [])
      check(`${port.split(':').at(-1)}/tcp` in config.ExposedPorts, `The image of ${name} doesn't expose ${port}.`);
    const mounted = service.volumes.map((volume) => volume.split(':')[1]);
    for (const path of Object.keys(config.Volumes)) check(mounted.includes(path), `${path} of ${name} is no volume.`);
    check(
      config.StopSignal === 'SIGTERM' && healthCheck,
      `The image of ${name} lacks a stop signal or a health check.`,
    );
  }
  for (const [name, service] of Object.entries(compose.services)) {
    const ports = service.ports ?? [];
    const isIpv4 = ports.every((port) => port.startsWith('0.0.0.0:'));
    check(isIpv4, `${name} publishes a port by IPv6, in a network without it.`);
    const byIpv6 = ports.map((port) => port.replace('0.0.0.0', '[::]'));
    check(`${byIpv6}` === `${ipv6.services[name]?.ports ?? []}`, `${name} has other ports by IPv6 than ${byIpv6}.`);
    check(service.restart === 'unless-stopped', `${name} isn't restarted.`);
    if (name === 'db') continue;
    check(service.read_only && `${service.cap_drop}` === 'ALL', `${name} can write to its root, or has capabilities.`);
  }
  const used = Object.keys(compose.secrets).sort();
  check(`${used}` === `${[...written].sort()}`, `The secrets are ${used}, and "prepare" writes ${written}.`);
  return problems;
}
