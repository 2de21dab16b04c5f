// O7: the Helm chart, rendered with its own values and with all that can be set. Helm itself is not needed.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { helmRenderer } from '../support/helm.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const root = fileURLToPath(new URL('../../', import.meta.url));
const chart = join(root, 'config/deploy/helm');
const { parse, stringify } = createRequire(join(root, 'plugins/actions/package.json'))('yaml');
const read = (...path) => readFileSync(join(...path), 'utf8');
const render = helmRenderer(stringify);

/** The documents that the chart makes, by their kind. */
function objectsOf(more = {}) {
  const values = parse(read(chart, 'values.yaml'));
  for (const [name, value] of Object.entries(more))
    values[name] = value && typeof value === 'object' ? { ...values[name], ...value } : value;
  const found = {};
  for (const file of readdirSync(join(chart, 'templates'))) {
    const text = render(read(chart, 'templates', file), { Values: values, Release: { Name: 'demo' } });
    if (text.trim() === '') continue;
    const object = parse(text);
    expect(found, `two of the kind ${object.kind}`).to.not.include(object.kind);
    expect(object.metadata.name, file).to.equal('demo-mortise');
    found[object.kind] = object;
  }
  return found;
}

describe('O7: the Helm chart', () => {
  const dockerfile = read(root, 'config/deploy/Dockerfile');
  const containerOf = ({ Deployment }) => Deployment.spec.template.spec.containers[0];

  it('says which version it installs', () => {
    const { version } = JSON.parse(read(root, 'package.json'));
    expect(parse(read(chart, 'Chart.yaml'))).to.include({ apiVersion: 'v2', name: 'mortise', appVersion: version });
  });

  it('with its own values makes one server with a volume, and nothing for the internet', () => {
    const objects = objectsOf();
    expect(Object.keys(objects).sort()).to.equal(['Deployment', 'PersistentVolumeClaim', 'Service']);
    const { Deployment, Service, PersistentVolumeClaim } = objects;
    const labels = { 'app.kubernetes.io/name': 'mortise', 'app.kubernetes.io/instance': 'demo' };
    expect(Deployment.spec.selector.matchLabels).to.equal(labels);
    expect(Deployment.spec.template.metadata.labels).to.equal(labels);
    expect(Service.spec.selector).to.equal(labels);
    expect(Deployment.spec.replicas).to.equal(1);
    expect(PersistentVolumeClaim.spec.accessModes).to.equal(['ReadWriteOnce']);
    expect(containerOf(objects).env).to.equal([{ name: 'MORTISE__server__ROOT_URL', value: 'http://localhost:3000/' }]);
  });

  it('fits the image: its ports, its user, its volume, and addresses that the server answers', () => {
    const objects = objectsOf();
    const container = containerOf(objects);
    const ports = /EXPOSE (.*)/.exec(dockerfile)[1].split(' ').map(Number);
    expect(container.ports.map(({ containerPort }) => containerPort)).to.equal(ports);
    for (const { targetPort } of objects.Service.spec.ports)
      expect(container.ports.map(({ name }) => name)).to.include(targetPort);
    const [{ mountPath, name }] = container.volumeMounts;
    expect(dockerfile).to.contain(`VOLUME ${mountPath}\n`);
    const { volumes, securityContext } = objects.Deployment.spec.template.spec;
    expect(volumes.map((volume) => volume.name)).to.equal([name]);
    expect(volumes[0].persistentVolumeClaim.claimName).to.equal(objects.PersistentVolumeClaim.metadata.name);
    // the user `node` of the images of Node.js
    expect(dockerfile).to.contain('USER node\n');
    expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    const routes = read(root, 'docs/operating.md');
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(routes).to.contain(`| \`${container[probe].httpGet.path}\` |`);
  });

  it('takes settings, secrets, limits, an ingress and a claim that is there', () => {
    const objects = objectsOf({
      image: { repository: 'registry.example/mortise', tag: '1.2' },
      settings: { MORTISE__server__WORKERS: 2, MORTISE__database__DB_TYPE: 'mysql' },
      secretName: 'passwords',
      resources: { limits: { memory: '2Gi' } },
      persistence: { existingClaim: 'shelf' },
      ingress: { enabled: true, className: 'nginx', host: 'git.example.com', tlsSecretName: 'tls' },
    });
    expect(Object.keys(objects).sort()).to.equal(['Deployment', 'Ingress', 'Service']);
    const container = containerOf(objects);
    expect(container.image).to.equal('registry.example/mortise:1.2');
    expect(container.env.slice(1)).to.equal([
      { name: 'MORTISE__database__DB_TYPE', value: 'mysql' },
      { name: 'MORTISE__server__WORKERS', value: '2' },
    ]);
    expect(container.envFrom).to.equal([{ secretRef: { name: 'passwords' } }]);
    expect(container.resources).to.equal({ limits: { memory: '2Gi' } });
    const [volume] = objects.Deployment.spec.template.spec.volumes;
    expect(volume.persistentVolumeClaim.claimName).to.equal('shelf');
    const { spec } = objects.Ingress;
    expect(spec).to.include({ ingressClassName: 'nginx', tls: [{ hosts: ['git.example.com'], secretName: 'tls' }] });
    expect(spec.rules[0].http.paths[0].backend.service).to.equal({ name: 'demo-mortise', port: { name: 'http' } });
    expect(objectsOf({ persistence: { storageClass: 'fast' } }).PersistentVolumeClaim.spec.storageClassName).to.equal(
      'fast',
    );
  });
});
