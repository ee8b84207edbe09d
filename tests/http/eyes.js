// eyes.js - how far colours are from each other for people with normal vision and with colour-blindness. It knows no pictures.

// What a colour (linear sRGB) looks like: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
// Vision Deficiency" (2009), severity 1.0.
const visions = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
const linear = (hex) =>
  [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));

// Oklab: Ottosson, "A perceptual color space for image processing" (2020).
function oklab(colour) {
  const lms = times(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
    colour.map((c) => Math.min(1, Math.max(0, c))),
  ).map(Math.cbrt);
  return times(
    [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]],
    lms,
  );
}

// A hundred times the distance of two colours "#rrggbb" in Oklab, by the vision for which it is least.
export const distance = (a, b) =>
  100 * Math.min(...Object.values(visions).map((matrix) => Math.hypot(...oklab(times(matrix, linear(a))).map((x, i) => x - oklab(times(matrix, linear(b)))[i]))));

// The contrast of two colours (WCAG 2.2).
export function contrast(a, b) {
  const [light, dark] = [a, b].map((hex) => linear(hex).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)).sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
