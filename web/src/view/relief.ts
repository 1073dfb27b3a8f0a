/** The surface in 3-D, by WebGL2: a grid of heights, lit from the left, turned by yaw and pitch. */
import { SEQUENTIAL } from "./palette";

const VERTEX = `#version 300 es
in float height;
uniform int size;
uniform float tall;
uniform vec2 scale;
uniform vec2 yaw;
uniform vec2 pitch;
uniform float rise;
out vec3 place;
out float level;
void main() {
  vec2 at = vec2(gl_VertexID % size, gl_VertexID / size) / float(size - 1);
  place = vec3(at, height * tall);
  level = height;
  vec2 p = at - 0.5;
  vec2 turned = vec2(p.x * yaw.x - p.y * yaw.y, p.x * yaw.y + p.y * yaw.x);
  float up = place.z * pitch.x + turned.y * pitch.y;
  float deep = turned.y * pitch.x - place.z * pitch.y;
  gl_Position = vec4(turned.x * scale.x, (up - rise) * scale.y, deep * 0.4, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 place;
in float level;
uniform sampler2D colours;
uniform float lines;
out vec4 colour;
void main() {
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float light = 0.86 + 0.14 * abs(dot(normal, normalize(vec3(-0.5, -0.3, 0.8))));
  vec3 base = texture(colours, vec2(level, 0.5)).rgb * light;
  vec2 across = abs(fract(place.xy * lines - 0.5) - 0.5) / fwidth(place.xy * lines);
  float line = 1.0 - min(min(across.x, across.y), 1.0);
  colour = vec4(mix(base, base * 0.72, 0.5 * line), 1.0);
}`;

export interface Turn {
  yaw: number;
  pitch: number;
}

/** How high the surface stands, as a share of its side. */
const TALL = 0.55;

/** Place of a point of the unit cube on a stage of the given size, as the vertex shader sees it. */
export function project(
  x: number,
  y: number,
  z: number,
  turn: Turn,
  width: number,
  height: number,
): [number, number] {
  const { across, rise } = stage(turn, width, height);
  const [px, py] = [x - 0.5, y - 0.5];
  const side = px * Math.cos(turn.yaw) - py * Math.sin(turn.yaw);
  const deep = px * Math.sin(turn.yaw) + py * Math.cos(turn.yaw);
  const up = z * TALL * Math.cos(turn.pitch) + deep * Math.sin(turn.pitch);
  return [width / 2 + side * across, height / 2 - (up - rise) * across];
}

function stage(turn: Turn, width: number, height: number): { across: number; rise: number } {
  const tallest = TALL * Math.cos(turn.pitch) + Math.SQRT2 * Math.sin(turn.pitch);
  return {
    across: Math.min((width - 56) / Math.SQRT2, (height - 44) / Math.max(tallest, 0.6)),
    rise: (TALL * Math.cos(turn.pitch)) / 2,
  };
}

export class Relief {
  private readonly at = new Map<string, WebGLUniformLocation | null>();
  private size = 0;
  private triangles = 0;

  private constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly program: WebGLProgram,
    private readonly heights: WebGLBuffer,
    private readonly corners: WebGLBuffer,
  ) {}

  /** Null where WebGL2 or the shaders are not to be had. */
  static make(canvas: HTMLCanvasElement): Relief | null {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (gl === null) return null;
    const program = compile(gl);
    if (program === null) return null;
    const relief = new Relief(gl, program, gl.createBuffer(), gl.createBuffer());
    relief.begin();
    return relief;
  }

  get lost(): boolean {
    return this.gl.isContextLost();
  }

  private begin(): void {
    const { gl, program } = this;
    gl.useProgram(program);
    for (const name of ["size", "tall", "scale", "yaw", "pitch", "rise", "lines", "colours"]) {
      this.at.set(name, gl.getUniformLocation(program, name));
    }
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texImage2D(
      gl.TEXTURE_2D,
      0,
      gl.RGBA,
      SEQUENTIAL.length / 4,
      1,
      0,
      gl.RGBA,
      gl.UNSIGNED_BYTE,
      new Uint8Array(SEQUENTIAL),
    );
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.uniform1f(this.place("tall"), TALL);
    gl.uniform1f(this.place("lines"), 10);
  }

  private place(name: string): WebGLUniformLocation | null {
    return this.at.get(name) ?? null;
  }

  /** Heights in [0, 1] on a square grid, rows of ascending nu. */
  load(heights: Float32Array, size: number): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.heights);
    gl.bufferData(gl.ARRAY_BUFFER, heights, gl.DYNAMIC_DRAW);
    const slot = gl.getAttribLocation(this.program, "height");
    gl.enableVertexAttribArray(slot);
    gl.vertexAttribPointer(slot, 1, gl.FLOAT, false, 0, 0);
    if (size === this.size) return;
    this.size = size;
    const indices = trianglesOf(size);
    this.triangles = indices.length;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.uniform1i(this.place("size"), size);
  }

  draw(turn: Turn, width: number, height: number): void {
    const { gl } = this;
    const { across, rise } = stage(turn, width, height);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniform2f(this.place("scale"), (2 * across) / width, (2 * across) / height);
    gl.uniform2f(this.place("yaw"), Math.cos(turn.yaw), Math.sin(turn.yaw));
    gl.uniform2f(this.place("pitch"), Math.cos(turn.pitch), Math.sin(turn.pitch));
    gl.uniform1f(this.place("rise"), rise);
    gl.drawElements(gl.TRIANGLES, this.triangles, gl.UNSIGNED_SHORT, 0);
  }
}

function compile(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) === true ? program : null;
}

function trianglesOf(size: number): Uint16Array {
  const indices = new Uint16Array(6 * (size - 1) ** 2);
  let k = 0;
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const corner = row * size + column;
      indices.set([corner, corner + 1, corner + size, corner + 1, corner + size + 1, corner + size], k);
      k += 6;
    }
  }
  return indices;
}
