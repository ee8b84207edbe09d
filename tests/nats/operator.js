// operator.js - makes what nsc makes: an operator, an account that may use JetStream, and a user of it with a file of credentials.
// For one broker of a test; the keys are kept nowhere else. https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt
import { createHash } from 'node:crypto';
import { nkeys } from 'nats';

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

// A signed token: what the issuer says of the subject.
function token(issuer, subject, name, claims) {
  const body = { iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name, nats: { version: 2, ...claims } };
  body.jti = createHash('sha256').update(JSON.stringify(body)).digest('hex').toUpperCase();
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(body)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}

const UNLIMITED = -1;

// { config, credentials }: lines for the server's configuration, and the user's file.
export function operator() {
  const [root, system, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount(), nkeys.createUser()];
  const limits = { subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED, imports: UNLIMITED, exports: UNLIMITED, wildcards: true, conn: UNLIMITED, leaf: UNLIMITED };
  const jetstream = { mem_storage: UNLIMITED, disk_storage: UNLIMITED, streams: UNLIMITED, consumer: UNLIMITED };
  const accounts = [
    [system, token(root, system, 'system', { type: 'account', limits })],
    [account, token(root, account, 'nqueensd', { type: 'account', limits: { ...limits, ...jetstream } })],
  ];
  const config = [
    `operator: "${token(root, root, 'test', { type: 'operator', system_account: system.getPublicKey() })}"`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    `resolver_preload: { ${accounts.map(([key, text]) => `${key.getPublicKey()}: "${text}"`).join(', ')} }`,
  ].join('\n');
  const claims = { type: 'user', pub: {}, sub: {}, subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED };
  const seed = Buffer.from(user.getSeed()).toString();
  const credentials = [
    '-----BEGIN NATS USER JWT-----', token(account, user, 'nq', claims), '------END NATS USER JWT------', '',
    '-----BEGIN USER NKEY SEED-----', seed, '------END USER NKEY SEED------', '',
  ].join('\n');
  return { config, credentials };
}
