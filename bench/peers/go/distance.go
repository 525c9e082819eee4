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
const converged = 1e-13 // of a longitude in radians, less than a thousandth of a millimetre
const mostSteps = 100

// distance gives the metres between two places along the ellipsoid by Vincenty's inverse formula
// (T. Vincenty, Direct and Inverse Solutions of Geodesics on the Ellipsoid with Application of
// Nested Equations, Survey Review 23 (176), 1975). It differs from the true distance by less than a
// millimetre, so that what is rounded to metres is the same in all but rare cases. Of two places
// that are nearly antipodal it does not converge; they get the great circle's distance.
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
		c := flattening / 16 * cosSquareAlpha * (4 + flattening*(4-3*cosSquareAlpha))
		before := lambda
		lambda = difference + (1-c)*flattening*sinAlpha*(sigma+c*sinSigma*(cosTwoMiddle+
			c*cosSigma*(2*cosTwoMiddle*cosTwoMiddle-1)))
		if math.Abs(lambda) > math.Pi {
			break
		}
		if math.Abs(lambda-before) < converged {
			return along(sigma, sinSigma, cosSigma, cosSquareAlpha, cosTwoMiddle)
		}
	}
	return sphere(from, to)
}

// reduced gives sine and cosine of the reduced latitude.
func reduced(latitude float64) (float64, float64) {
	sin, cos := math.Sincos(latitude * radians)
	sin *= 1 - flattening
	length := math.Hypot(sin, cos)
	return sin / length, cos / length
}

// along gives the length of the arc that the iteration ended with.
func along(sigma, sinSigma, cosSigma, cosSquareAlpha, cosTwoMiddle float64) float64 {
	u := cosSquareAlpha * (equatorial*equatorial - polar*polar) / (polar * polar)
	a := 1 + u/16384*(4096+u*(-768+u*(320-175*u)))
	b := u / 1024 * (256 + u*(-128+u*(74-47*u)))
	square := 2*cosTwoMiddle*cosTwoMiddle - 1
	more := b * sinSigma * (cosTwoMiddle + b/4*(cosSigma*square-
		b/6*cosTwoMiddle*(4*sinSigma*sinSigma-3)*(4*cosTwoMiddle*cosTwoMiddle-3)))
	return polar * a * (sigma - more)
}

// sphere gives the great circle's distance on a sphere with the ellipsoid's mean radius.
func sphere(from, to location) float64 {
	sinLatitude := math.Sin((to.Latitude - from.Latitude) / 2 * radians)
	sinLongitude := math.Sin((to.Longitude - from.Longitude) / 2 * radians)
	half := sinLatitude*sinLatitude + math.Cos(from.Latitude*radians)*
		math.Cos(to.Latitude*radians)*sinLongitude*sinLongitude
	return (2*equatorial + polar) / 3 * 2 * math.Asin(math.Sqrt(math.Min(1, half)))
}
