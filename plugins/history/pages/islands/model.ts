/// <reference lib="dom" />
/** Client: draws a 3D model that can be turned by mouse, finger and arrow keys. Where it cannot be, the note with its link stays. */
import {
  AmbientLight,
  Box3,
  DirectionalLight,
  Group,
  MathUtils,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  Sphere,
  WebGLRenderer,
  type BufferGeometry,
  type Object3D,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';

const colour = 0x8b949e;
/** Degrees, from the top of a picture to its bottom. */
const angle = 40;
/** Radians for one press of an arrow key. */
const step = Math.PI / 16;
const turns: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [0, -step],
  ArrowRight: [0, step],
  ArrowUp: [-step, 0],
  ArrowDown: [step, 0],
};

/** Degrees, so that as much is seen across as upwards where the picture is narrow. */
const viewAngle = (aspect: number): number =>
  aspect >= 1 ? angle : MathUtils.radToDeg(2 * Math.atan(Math.tan(MathUtils.degToRad(angle / 2)) / aspect));

const meshOf = (geometry: BufferGeometry): Mesh => {
  // many files have none, or have them as 0 0 0
  geometry.computeVertexNormals();
  const hasColours = geometry.hasAttribute('color');
  return new Mesh(
    geometry,
    new MeshStandardMaterial({ color: hasColours ? 0xffffff : colour, vertexColors: hasColours }),
  );
};

/** A header of 80 bytes, the number of triangles, and 50 bytes for each. */
const isBinaryStl = (bytes: ArrayBuffer): boolean =>
  bytes.byteLength >= 84 && 84 + 50 * new DataView(bytes).getUint32(80, true) === bytes.byteLength;

const maxUnclosed = 100;

/** The loader searches what follows each begin of a part for its end: many without one take a time that grows with the square. */
function checkTextStl(text: string): void {
  const solids = text.split('endsolid');
  const facets = solids.flatMap((solid) => solid.split('endfacet').slice(-1));
  if (countOf('solid', solids.at(-1)!) > maxUnclosed || facets.some((rest) => countOf('facet', rest) > maxUnclosed))
    throw new Error('the parts of the model are not closed');
}

const countOf = (word: string, text: string): number => text.split(word).length - 1;

/** Entries of a model that may lie nowhere in its file. */
const maxUnstored = 1 << 20;

/** Accessors without a part of the file are made of zeros, as many as they say (glTF 2.0, 3.6.2.1). */
function checkGlb(bytes: ArrayBuffer): void {
  const length = new DataView(bytes).getUint32(12, true);
  const { accessors = [] } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length))) as {
    accessors?: readonly { readonly bufferView?: number; readonly count?: number }[];
  };
  const unstored = accessors.reduce((sum, one) => sum + (one.bufferView === undefined ? Number(one.count) : 0), 0);
  if (!(unstored <= maxUnstored)) throw new Error('the model says to be larger than its file');
}

async function read(format: string, bytes: ArrayBuffer): Promise<Object3D> {
  if (format === 'glb') {
    checkGlb(bytes);
    return (await new GLTFLoader().parseAsync(bytes, '')).scene;
  }
  if (format === 'stl') {
    if (!isBinaryStl(bytes)) checkTextStl(new TextDecoder().decode(bytes));
    return meshOf(new STLLoader().parse(bytes));
  }
  if (format === 'ply') return meshOf(new PLYLoader().parse(bytes));
  return new OBJLoader().parse(new TextDecoder().decode(bytes));
}

let shared: WebGLRenderer | undefined;
/** One for all models of the page: a browser keeps few contexts, and takes the oldest away. */
const renderer = (): WebGLRenderer => (shared ??= new WebGLRenderer({ antialias: true, alpha: true }));

async function draw(box: HTMLElement): Promise<void> {
  const { model: format = '', source = '', label = '' } = box.dataset;
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`the model was answered with ${answer.status}`);
  const model = await read(format, await answer.arrayBuffer());

  // the middle of the model is the middle of the picture, whatever its size
  const { center, radius } = new Box3().setFromObject(model).getBoundingSphere(new Sphere());
  if (!(radius > 0)) throw new Error('the model has no extent');
  model.position.sub(center);
  const turned = new Group().add(model);
  // files for printing have the third axis upwards
  if (format === 'stl' || format === 'ply') turned.rotation.x = -Math.PI / 2;
  const shown = new Group().add(turned);

  const camera = new PerspectiveCamera(angle, 1, radius / 100, radius * 100);
  camera.position.set(radius * 1.6, radius * 1.2, radius * 2.2);
  const light = new DirectionalLight(0xffffff, 2.5);
  light.position.set(-1, 1, 2);
  camera.add(light);
  const scene = new Scene().add(shown, camera, new AmbientLight(0xffffff, 1.2));

  const { domElement: rendered } = renderer();
  const canvas = document.createElement('canvas');
  const picture = canvas.getContext('2d')!;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  box.replaceChildren(canvas);
  const render = (): void => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (width === 0 || height === 0) return;
    renderer().setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer().setSize(width, height, false);
    renderer().render(scene, camera);
    canvas.width = rendered.width;
    canvas.height = rendered.height;
    picture.drawImage(rendered, 0, 0);
  };
  const controls = new OrbitControls(camera, canvas);
  controls.addEventListener('change', render);
  canvas.addEventListener('keydown', (event) => {
    const turn = turns[event.key];
    if (!turn) return;
    event.preventDefault();
    shown.rotation.x += turn[0];
    shown.rotation.y += turn[1];
    render();
  });
  new ResizeObserver(() => {
    camera.aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight);
    camera.fov = viewAngle(camera.aspect);
    camera.updateProjectionMatrix();
    render();
  }).observe(canvas);
  controls.update();
}

/** Draws the models of a part of the page that were not drawn yet; those that are folded wait. */
export function drawModels(part: ParentNode): void {
  for (const box of part.querySelectorAll<HTMLElement>('[data-model]:not(details:not([open]) *)')) {
    const { source = '' } = box.dataset;
    if (drawn.has(box)) continue;
    drawn.add(box);
    // without WebGL, or where the file is broken
    draw(box).catch((error: unknown) => console.warn(`${source} was not drawn:`, error));
  }
}
const drawn = new WeakSet<HTMLElement>();
drawModels(document);
