package main

import "math"

type location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// WGS 84, in metres.
const (
	equatorial = 6378137.0
	flattening = 1 / 298.257223563
	polar      = equatorial * (1 - flattening)
)

const radians = math.Pi / 180
const converged = 1e-13 // radians of longitude: less than a thousandth of a millimetre
const mostSteps = 100

// The positive nodes of Gauss-Legendre quadrature with ten nodes on [-1, 1], and their weights.
var nodes = [...]struct{ at, weight float64 }{
	{0.9739065285171716, 0.06667134430868774},
	{0.8650633666889845, 0.14945134915058053},
	{0.6794095682990244, 0.21908636251598218},
	{0.43339539412924716, 0.26926671930999624},
	{0.14887433898163122, 0.2955242247147529},
}

// distance returns the metres between two places along the ellipsoid, by Vincenty's inverse formula
// (T. Vincenty, Direct and Inverse Solutions of Geodesics on the Ellipsoid with Application of
// Nested Equations, Survey Review 23 (176), 1975). It computes two integrals that the formula
// approximates by truncated series. The series are off by hundredths of a millimetre, which changes
// one of 100,000 distances when they are rounded to metres. For nearly antipodal places, the
// iteration does not converge; they get the great circle's distance.
func distance(from, to location) float64 {
	sinU1, cosU1 := reduced(from.Latitude)
	sinU2, cosU2 := reduced(to.Latitude)
	difference := math.Remainder(to.Longitude-from.Longitude, 360) * radians
	lambda := difference
	for step := 0; step < mostSteps; step++ {
		sinLambda, cosLambda := math.Sincos(lambda)
		sinSigma := math.Hypot(cosU2*sinLambda, cosU1*sinU2-sinU1*cosU2*cosLambda)
		if sinSigma == 0 {
			return 0
		}
		cosSigma := sinU1*sinU2 + cosU1*cosU2*cosLambda
		sigma := math.Atan2(sinSigma, cosSigma)
		sinAlpha := cosU1 * cosU2 * sinLambda / sinSigma
		cosSquareAlpha := 1 - sinAlpha*sinAlpha
		cosTwoMiddle := 0.0 // along the equator
		if cosSquareAlpha > 0 {
			cosTwoMiddle = cosSigma - 2*sinU1*sinU2/cosSquareAlpha
		}
		length, longitude := integrals(sigma, cosTwoMiddle, cosSquareAlpha)
		before := lambda
		lambda = difference + flattening*sinAlpha*longitude
		if math.Abs(lambda) > math.Pi {
			break
		}
		if math.Abs(lambda-before) < converged {
			return polar * length
		}
	}
	return sphere(from, to)
}

// integrals returns two integrals along an arc of sigma: its length in polar radii, and how much
// less its longitude is on the ellipsoid than on the sphere. Both are even around the arc's middle.
func integrals(sigma, cosTwoMiddle, cosSquareAlpha float64) (length, longitude float64) {
	square := cosSquareAlpha * (equatorial*equatorial - polar*polar) / (polar * polar)
	sinTwoMiddle := math.Sqrt(math.Max(0, 1-cosTwoMiddle*cosTwoMiddle))
	for _, node := range nodes {
		sin, cos := math.Sincos(sigma * node.at)
		for _, side := range [...]float64{-1, 1} {
			root := math.Sqrt(1 + square*(1-cosTwoMiddle*cos-side*sinTwoMiddle*sin)/2)
			length += node.weight * root
			longitude += node.weight * (2 - flattening) / (1 + (1-flattening)*root)
		}
	}
	return length * sigma / 2, longitude * sigma / 2
}

// reduced returns the sine and cosine of the reduced latitude.
func reduced(latitude float64) (float64, float64) {
	sin, cos := math.Sincos(latitude * radians)
	sin *= 1 - flattening
	length := math.Hypot(sin, cos)
	return sin / length, cos / length
}

// sphere returns the great circle's distance on a sphere with the ellipsoid's mean radius.
func sphere(from, to location) float64 {
	sinLatitude := math.Sin((to.Latitude - from.Latitude) / 2 * radians)
	sinLongitude := math.Sin((to.Longitude - from.Longitude) / 2 * radians)
	half := sinLatitude*sinLatitude + math.Cos(from.Latitude*radians)*
		math.Cos(to.Latitude*radians)*sinLongitude*sinLongitude
	return (2*equatorial + polar) / 3 * 2 * math.Asin(math.Sqrt(math.Min(1, half)))
}
