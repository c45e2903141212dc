// @ts-check
// What is done in place of blocks that a bare root cannot run as printed. A block names its entry behind its language.
import { startOf } from './unit.mjs';

/**
 * The block as it is printed, and the files of the root.
 * @typedef {{ block: string, read: (path: string) => string | undefined, hasPebble: boolean }} Context
 */

/**
 * `why` it is not run as printed; `instead`: a script in its place, which may run the block, too; without it the block is only listed.
 * `given`: that stands in only where the option --program is given.
 * @typedef {{ why: string, instead?: (context: Context) => string, given?: 'program' }} StandIn
 */

/** Folder of what only the walk needs. */
const OWN = '/opt/newcomer';

/** @type {Readonly<Record<string, StandIn>>} */
export const STAND_INS = {
  published: {
    why: 'voxel-dash is not published: npm pack',
    instead: () => `npm pack
mkdir -p ../embedded
cd ../embedded
npm init -y
npm install ../voxel-dash/voxel-dash-*.tgz dashjs
node --input-type=module --eval "import { attachVoxel } from 'voxel-dash'; if (typeof attachVoxel !== 'function') process.exit(1)"
cd ../voxel-dash`,
  },
  part: { why: 'a part of a page: the tutorial embed has a whole one, which is opened' },
  tests: {
    why: 'npm test takes half an hour, and tests itself: one part of it',
    instead: () => 'npm test -- --only package',
  },
  trials: {
    why: 'playback whose outcome a busy machine changes: its plan (the tutorial trial plays one)',
    instead: () => 'npm run trials -- --quick --plan',
  },
  compile: {
    why: 'voxel-quiche is not compiled: --program',
    given: 'program',
    instead: ({ block }) =>
      block
        .replace(/^cargo build.*$/m, `mkdir -p target/release\ncp ${OWN}/voxel-quiche target/release/`)
        .replace(/^npm start -- --server quiche.*$/m, `${OWN}/voxel-quiche --version`),
  },
  images: {
    why: 'needs a container engine and an image registry: npm run images -- --mmdebstrap, --try; server/conformance/test_compose.py',
  },
  acme: {
    why: 'needs a public name: an ACME server of its own (Pebble), in the root',
    instead: ({ block, hasPebble }) => (hasPebble ? `${PEBBLE}\n${block}\n${END_PEBBLE}` : OPENSSL),
  },
  kernel: {
    why: "the kernel's settings are this machine's, and read-only in the root: asked for, and refused",
    instead: ({ block }) =>
      block.replace('sudo sysctl --system', '(sudo sysctl --system 2>&1 || true) | grep net.core.rmem_max'),
  },
  'unit-quiche': unit('voxel-quiche.service', '', 'https://media.example/film/manifest.mpd'),
  'unit-serve': unit('voxel-serve.service', '', 'https://media.example/film/manifest.mpd'),
  'unit-live': unit('voxel-live@.service', 'camera', undefined),
  protected: {
    why: "needs the site's own service: one that allows all",
    instead: ({ block }) => `${ALLOW_ALL}
sudo nginx
sudo setpriv --reuid=voxel --regid=voxel --init-groups bash -c '${block.trim()}' &
for attempt in $(seq 60); do curl -sf --cacert ${OWN}/root.pem https://media.example/film/manifest.mpd >/dev/null && break; sleep .5; done
curl -sf --cacert ${OWN}/root.pem https://media.example/film/manifest.mpd >/dev/null
sudo pkill -u voxel voxel-quiche
sudo nginx -s stop
kill $allowing`,
  },
};

/** A service is verified, and its command is run by hand as its user. @param {string} name @param {string} instance @param {string | undefined} url that it then serves @returns {StandIn} */
function unit(name, instance, url) {
  return {
    why: 'no systemd runs in the root: systemd-analyze verify, and ExecStart by hand',
    instead: ({ block, read }) => {
      // What the block writes is part of what the unit reads: so it comes first, and the unit is read by the root's own hand.
      const { user, environment, command, stateFolder } = startOf(
        read(`/etc/systemd/system/${name}`) ?? '',
        read,
        instance,
      );
      const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
      const variables = Object.entries(environment).map(([key, value]) => quoted(`${key}=${value}`));
      const rights =
        '--ambient-caps=+net_bind_service --inh-caps=+net_bind_service --bounding-set=-all,+net_bind_service --no-new-privs';
      return `systemd-analyze verify /etc/systemd/system/${name}
${block.replaceAll(' --now', '')}
${stateFolder === undefined ? '' : `sudo install -d -o ${user} -g ${user} -m 700 /var/lib/${stateFolder}`}
sudo setpriv --reuid=${user} --regid=${user} --init-groups ${rights} env -i ${variables.join(' ')} ${command.map(quoted).join(' ')} &
${url === undefined ? seenLive(instance) : seenServed(url)}
sudo pkill --signal INT -u ${user} || true
wait $! || true`;
    },
  };
}

/** @param {string} url */
const seenServed = (url) => `for attempt in $(seq 60); do curl -sf http://127.0.0.1:9100/health && break; sleep .5; done
curl -sf --cacert ${OWN}/root.pem ${url} >/dev/null`;

/** @param {string} instance */
const seenLive = (instance) =>
  `for attempt in $(seq 120); do test -s /srv/media/${instance}/manifest.mpd && break; sleep .5; done
ls /srv/media/${instance}/manifest.mpd`;

const API = `sudo install -d -o "$USER" ${OWN}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj /CN=localhost \\
  -addext subjectAltName=DNS:localhost -keyout ${OWN}/api.key -out ${OWN}/api.pem`;

/** An authority that asks media.example, which is this machine, as Let's Encrypt asks. It knows nothing of a certificate before. */
const PEBBLE = `sudo rm -rf /etc/letsencrypt/live /etc/letsencrypt/archive /etc/letsencrypt/renewal /etc/letsencrypt/accounts /etc/voxel/tls
${API}
cat > ${OWN}/pebble.json <<'PEBBLE'
{ "pebble": { "listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
  "certificate": "${OWN}/api.pem", "privateKey": "${OWN}/api.key", "httpPort": 80, "tlsPort": 443 } }
PEBBLE
sudo mkdir -p /etc/letsencrypt
printf 'server = https://localhost:14000/dir\\nagree-tos = true\\nregister-unsafely-without-email = true\\nnon-interactive = true\\n' |
  sudo tee /etc/letsencrypt/cli.ini
PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 ${OWN}/pebble -config ${OWN}/pebble.json >/dev/null 2>&1 &
authority=$!
export REQUESTS_CA_BUNDLE=${OWN}/api.pem
for attempt in $(seq 60); do curl -sf --cacert ${OWN}/api.pem https://localhost:14000/dir >/dev/null && break; sleep .5; done`;

const END_PEBBLE = `curl -sf --cacert ${OWN}/api.pem https://localhost:15000/roots/0 > ${OWN}/root.pem
kill $authority
sudo ls -l /etc/voxel/tls`;

/** Without one, a certificate that signs itself goes the way of one that an authority has made. */
const OPENSSL = `sudo install -d -o "$USER" ${OWN}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj /CN=media.example \\
  -addext subjectAltName=DNS:media.example -keyout ${OWN}/root.key -out ${OWN}/root.pem
sudo deploy/acme-hook.sh ${OWN}/root.pem ${OWN}/root.key`;

const ALLOW_ALL = `python3 - <<'ALLOW' &
from http.server import BaseHTTPRequestHandler, HTTPServer
class Allow(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('content-length', '0')
        self.end_headers()
    do_HEAD = do_POST = do_GET
HTTPServer(('127.0.0.1', 9000), Allow).serve_forever()
ALLOW
allowing=$!`;
